(dynamic-wind (lambda () #f) (lambda () (exit 7)) (lambda () (display "unwound")))
