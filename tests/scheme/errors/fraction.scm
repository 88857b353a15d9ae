(display '1/4)
