(vector-ref (make-vector 3 0) 3)
