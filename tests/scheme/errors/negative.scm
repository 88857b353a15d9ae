(make-vector -1 0)
