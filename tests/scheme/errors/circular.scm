(define v (vector 1 2))
(vector-set! v 0 (list (quote quote) v))
(write v)
