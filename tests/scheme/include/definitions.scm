; Included by basics.scm.
(define included 42)
(define (get-included) included)
