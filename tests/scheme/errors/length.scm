(length '(1 . 2))
