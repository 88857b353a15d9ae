;; The part of the interpreter that is written in Scheme: most syntax, everything that calls
;; procedures, dynamic state, errors, loading, and the read-eval-print loop.
;; Names that begin with % are the interpreter's own.

;; ---- Syntax. Special: begin, %define, define-syntax, syntax-rules, include, lambda, quote, set!,
;; if, or -----------------------------------------------------------------------------------------

(define-syntax define
  (syntax-rules ()
    ((_ (name . parameters) body ...) (define name (lambda parameters body ...)))
    ((_ name content) (%define name content))
    ((_ name) (%define name (if #f #f)))))

(define-syntax %same
  (syntax-rules () ((_ (new old) ...) (begin (define new old) ...))))
(%same
 (%cons cons) (%append append) (%list list) (%list->vector list->vector) ; for macros, whatever
 (%memv memv) (%eqv? eqv?)                                               ; programs redefine
 (truncate-quotient quotient) (truncate-remainder remainder) (floor-remainder modulo)
 (inexact->exact exact) (exact->inexact inexact) (char-foldcase char-downcase)
 (complex? number?) (real? number?) (substring string-copy)
 (close-input-port close-port) (close-output-port close-port) (textual-port? port?)
 (call-with-current-continuation %call/cc) (call/cc %call/cc)
 (make-hash-table make-equal-hashtable) (make-eq-hashtable make-eqv-hashtable)
 (hashtable-ref hash-table-ref/default) (hashtable-set! hash-table-set!)
 (hashtable-delete! hash-table-delete!) (hashtable-contains? hash-table-exists?)
 (hashtable-size hash-table-size))

(define-syntax %paths
  (syntax-rules () ((_ (name outer inner) ...) (begin (define (name x) (outer (inner x))) ...))))
(%paths
 (caar car car) (cdar cdr car) (caaar car caar) (caadr car cadr) (cadar cadr car) (caddr car cddr)
 (cdaar cdr caar) (cdadr cdr cadr) (cddar cddr car) (cdddr cdr cddr) (caaaar caar caar)
 (caaadr caar cadr) (caadar caar cdar) (caaddr caar cddr) (cadaar cadr caar) (cadadr cadr cadr)
 (caddar cadr cdar) (cadddr cadr cddr) (cdaaar cdar caar) (cdaadr cdar cadr) (cdadar cdar cdar)
 (cdaddr cdar cddr) (cddaar cddr caar) (cddadr cddr cadr) (cdddar cddr cdar) (cddddr cddr cddr))

(define-syntax let
  (syntax-rules ()
    ((_ ((name init) ...) body ...) ((lambda (name ...) body ...) init ...))
    ((_ loop ((name init) ...) body ...)
     ((let () (define loop (lambda (name ...) body ...)) loop) init ...))))
(define-syntax letrec
  (syntax-rules ()
    ((_ ((name init) ...) body ...) (let () (define name init) ... (let () body ...)))))
(define-syntax letrec* letrec)
(define-syntax let*
  (syntax-rules ()
    ((_ () body ...) (let () body ...))
    ((_ (binding more ...) body ...) (let (binding) (let* (more ...) body ...)))))
(define-syntax let-syntax
  (syntax-rules ()
    ((_ ((name spec) ...) body ...)
     (let () (define-syntax name spec) ... (let () body ...)))))
(define-syntax letrec-syntax let-syntax)
(define-syntax and
  (syntax-rules () ((_) #t) ((_ test) test) ((_ test more ...) (if test (and more ...) #f))))
(define-syntax when (syntax-rules () ((_ test body ...) (if test (begin body ...)))))
(define-syntax unless (syntax-rules () ((_ test body ...) (if test #f (begin body ...)))))
(define-syntax cond
  (syntax-rules (else =>)
    ((_) (if #f #f))
    ((_ (else body ...)) (begin body ...))
    ((_ (test => f) clause ...) (let ((t test)) (if t (f t) (cond clause ...))))
    ((_ (test) clause ...) (or test (cond clause ...)))
    ((_ (test body ...) clause ...) (if test (begin body ...) (cond clause ...)))))
(define-syntax do
  (syntax-rules ()
    ((_ ((name init . step) ...) (test result ...) body ...)
     (let loop ((name init) ...)
       (if test
           (begin (if #f #f) result ...)
           (begin body ... (loop (%step name . step) ...)))))))
(define-syntax %step (syntax-rules () ((_ name) name) ((_ name step) step)))
(define-syntax case
  (syntax-rules ()
    ((_ key (data body ...) ...)
     (let ((k key)) (cond ((%case-any k data) (%case-body k body ...)) ...)))))
(define-syntax %case-any
  (syntax-rules (else)
    ((_ k else) #t)
    ((_ k (a b c d e . more)) (%memv k '(a b c d e . more)))
    ((_ k (datum ...)) (or (%eqv? k 'datum) ...))))
(define-syntax %case-body
  (syntax-rules (=>) ((_ k => f) (f k)) ((_ k body ...) (begin body ...))))

;; The second operand has an element for each quasiquote around the first.
(define-syntax quasiquote (syntax-rules () ((_ x) (%quasi x ()))))
(define-syntax %quasi
  (syntax-rules (quasiquote unquote unquote-splicing)
    ((_ (unquote x) ()) x)
    ((_ (unquote x) (d . depth)) (%list 'unquote (%quasi x depth)))
    ((_ (quasiquote x) depth) (%list 'quasiquote (%quasi x (d . depth))))
    ((_ ((unquote-splicing x)) ()) x)
    ((_ ((unquote-splicing x) . rest) ()) (%append x (%quasi rest ())))
    ((_ ((unquote-splicing x) . rest) (d . depth))
     (%cons (%list 'unquote-splicing (%quasi x depth)) (%quasi rest (d . depth))))
    ((_ (x . rest) depth) (%cons (%quasi x depth) (%quasi rest depth)))
    ((_ #(x ...) depth) (%list->vector (%quasi (x ...) depth)))
    ((_ x depth) 'x)))

;; There is one name space: imports and exports say nothing.
(define-syntax import (syntax-rules () ((_ . any) (begin))))
(define-syntax export (syntax-rules () ((_ . any) (begin))))
(define-syntax define-library (syntax-rules () ((_ name body ...) (begin body ...))))
(define-syntax cond-expand
  (syntax-rules (and or not else library scheme r7rs full-unicode)
    ((_) (begin))
    ((_ (else form ...)) (begin form ...))
    ((_ ((and) form ...) . more) (begin form ...))
    ((_ ((and one two ...) form ...) . more)
     (cond-expand (one (cond-expand ((and two ...) form ...) . more)) . more))
    ((_ ((or) form ...) . more) (cond-expand . more))
    ((_ ((or one two ...) form ...) . more)
     (cond-expand (one form ...) ((or two ...) form ...) . more))
    ((_ ((not one) form ...) . more) (cond-expand (one (cond-expand . more)) (else form ...)))
    ((_ ((library (scheme . name)) form ...) . more) (begin form ...))
    ((_ (r7rs form ...) . more) (begin form ...))
    ((_ (full-unicode form ...) . more) (begin form ...))
    ((_ (unknown form ...) . more) (cond-expand . more))))

;; A record's first slot is its type, whose first slot is %record-type, and the second the name.
(define %record-type (%record #f 'record-type))
(define-syntax define-record-type
  (syntax-rules ()
    ((_ name (make argument ...) test (field . access) ...)
     (begin
       (define name (%record %record-type 'name))
       (define make
         (let ((type name) (field #f) ...) (lambda (argument ...) (%record type field ...))))
       (define test (let ((type name)) (lambda (x) (%record? x type))))
       (%define-access name 1 access ...)))))
(define-syntax %define-access
  (syntax-rules ()
    ((_ type i) (begin))
    ((_ type i (get) . more)
     (begin
       (define get (let ((t type) (slot i)) (lambda (x) (%record-ref x t slot))))
       (%define-access type (+ i 1) . more)))
    ((_ type i (get put) . more)
     (begin
       (define put (let ((t type) (slot i)) (lambda (x content) (%record-set! x t slot content))))
       (%define-access type i (get) . more)))))

;; ---- Multiple values ------------------------------------------------------------------------

(define-syntax let-values ; all expressions before all bindings
  (syntax-rules () ((_ bindings body ...) (%let-values bindings () body ...))))
(define-syntax %let-values
  (syntax-rules ()
    ((_ () () body ...) (let () body ...))
    ((_ () ((formals results) . more) body ...)
     (apply (lambda formals (%let-values () more body ...)) results))
    ((_ ((formals e) . more) done body ...)
     (let ((results (call-with-values (lambda () e) %list)))
       (%let-values more ((formals results) . done) body ...)))))
(define-syntax let*-values
  (syntax-rules ()
    ((_ () body ...) (let () body ...))
    ((_ ((formals e) . more) body ...)
     (call-with-values (lambda () e) (lambda formals (let*-values more body ...))))))
(define-syntax define-values
  (syntax-rules ()
    ((_ () e) (call-with-values (lambda () e) (lambda () #t)))
    ((_ (v . rest) e)
     (begin
       (define v #f)
       (define-values rest
         (call-with-values (lambda () e) (lambda (x . more) (set! v x) (apply values more))))))
    ((_ rest e) (define rest (call-with-values (lambda () e) %list)))))
(define-syntax case-lambda
  (syntax-rules ()
    ((_ clause ...) (lambda args (%case-lambda (length args) args clause ...)))))
(define-syntax %case-lambda
  (syntax-rules ()
    ((_ n args) (error "case-lambda: no clause for the arguments:" args))
    ((_ n args ((p ... . rest) body ...) clause ...)
     (if ((if (null? 'rest) = >=) n (length '(p ...)))
         (apply (lambda (p ... . rest) body ...) args)
         (%case-lambda n args clause ...)))))

;; ---- Procedures that call procedures ----------------------------------------------------------

;; What boot.scm calls is meant as it is now, whatever programs make of the names. A procedure
;; that calls itself does it by a name of its own.

(define (%map1 f l)
  (let loop ((l l) (done '()))
    (if (pair? l) (loop (cdr l) (cons (f (car l)) done)) (reverse! done))))
(define (%any-end? ls) (and (pair? ls) (or (not (pair? (car ls))) (%any-end? (cdr ls)))))
(define (map f l . ls)
  (if (null? ls)
      (%map1 f l)
      (let loop ((ls (cons l ls)) (done '()))
        (if (%any-end? ls)
            (reverse! done)
            (loop (%map1 cdr ls) (cons (apply f (%map1 car ls)) done))))))
(define (for-each f l . ls)
  (if (null? ls)
      (let loop ((l l)) (when (pair? l) (f (car l)) (loop (cdr l))))
      (apply map f l ls)))
(define (vector-map f . vs) (list->vector (apply map f (%map1 vector->list vs))))
(define (vector-for-each f . vs) (apply for-each f (%map1 vector->list vs)))
(define (string-map f . ss) (list->string (apply map f (%map1 string->list ss))))
(define (string-for-each f . ss) (apply for-each f (%map1 string->list ss)))
(define (string->vector s . range) (list->vector (apply string->list s range)))
(define (vector->string v . range) (list->string (apply vector->list v range)))
(define (string-upcase s) (string-map char-upcase s))
(define (string-downcase s) (string-map char-downcase s))
(define string-foldcase string-downcase)
(define-syntax %folded
  (syntax-rules ()
    ((_ fold (name compare) ...)
     (begin (define (name . xs) (apply compare (%map1 fold xs))) ...))))
(%folded char-foldcase
 (char-ci=? char=?) (char-ci<? char<?) (char-ci>? char>?) (char-ci<=? char<=?) (char-ci>=? char>=?))
(%folded string-foldcase
 (string-ci=? string=?) (string-ci<? string<?) (string-ci>? string>?) (string-ci<=? string<=?)
 (string-ci>=? string>=?))
(define (make-list n . fill) (vector->list (apply make-vector n fill)))
(define (list-copy l) (let loop ((l l)) (if (pair? l) (cons (car l) (loop (cdr l))) l)))
(define (list-tail l n) (let loop ((l l) (n n)) (if (= n 0) l (loop (cdr l) (- n 1)))))
(define (list-ref l n) (car (list-tail l n)))
(define (list-set! l i x) (set-car! (list-tail l i) x))
(define (member x l . same)
  (if (null? same)
      (%member x l)
      (let loop ((l l)) (and (pair? l) (if ((car same) x (car l)) l (loop (cdr l)))))))
(define (assoc x l . same)
  (if (null? same)
      (%assoc x l)
      (let loop ((l l))
        (and (pair? l) (if ((car same) x (caar l)) (car l) (loop (cdr l)))))))

(define (hash-table-ref table key . options)
  (if (hash-table-exists? table key)
      (hash-table-ref/default table key #f)
      (if (pair? options) ((car options)) (error "hash-table-ref: no such key:" key))))
(define (hash-table-update! table key f . default)
  (hash-table-set! table key (f (apply hash-table-ref table key default))))
(define (hash-table-update!/default table key f default)
  (hash-table-update! table key f (lambda () default)))
(define (hash-table-keys table) (%map1 car (%entries table)))
(define (hash-table-values table) (%map1 cdr (%entries table)))
(define (hash-table->alist table) (map cons (hash-table-keys table) (hash-table-values table)))
(define (hash-table-walk table f)
  (for-each (lambda (entry) (f (car entry) (cdr entry))) (%entries table)))

(define (gcd . xs)
  (let next ((a 0) (xs xs))
    (if (null? xs)
        (abs a)
        (let step ((a a) (b (car xs))) (if (= b 0) (next a (cdr xs)) (step b (remainder a b)))))))
(define (lcm . xs)
  (let next ((a 1) (xs xs))
    (cond ((null? xs) (abs a))
          ((= (car xs) 0) (car xs))
          (else (next (* a (quotient (car xs) (gcd a (car xs)))) (cdr xs))))))
(define (exact-integer-sqrt n)
  (let loop ((root (exact (floor (sqrt n)))))
    (cond ((> (* root root) n) (loop (- root 1)))
          ((<= (* (+ root 1) (+ root 1)) n) (loop (+ root 1)))
          (else (values root (- n (* root root)))))))
(define (square x) (* x x))
(define (truncate/ a b) (values (quotient a b) (remainder a b)))
(define (floor-quotient a b)
  (if (= (modulo a b) (remainder a b)) (quotient a b) (- (quotient a b) 1)))
(define (floor/ a b) (values (floor-quotient a b) (modulo a b)))
(define (finite? x) (not (or (infinite? x) (nan? x))))

;; ---- Continuations and the dynamic environment -------------------------------------------------

;; Winders are pairs (before . after), the innermost first.
(define (apply f x . more)
  (%apply f (let spread ((x x) (more more))
              (if (null? more) x (cons x (spread (car more) (cdr more)))))))
(define (call-with-values producer consumer) (apply consumer (%values->list (producer))))
(define (dynamic-wind before thunk after)
  (before)
  (%set-winders! (cons (cons before after) (%winders)))
  (call-with-values thunk
    (lambda results
      (%set-winders! (cdr (%winders)))
      (after)
      (apply values results))))
(define (%wind-to target)
  (let ((now (%winders)))
    (cond ((eq? now target))
          ((< (length now) (length target))
           (%wind-to (cdr target))
           ((caar target))
           (%set-winders! target))
          (else
           (%set-winders! (cdr now))
           ((cdar now))
           (%wind-to target)))))
(define (%rewind k winders result)
  (%wind-to winders)
  (k result))
(define (exit . code)
  (%wind-to '())
  (apply emergency-exit code))

;; A parameter's content is in a cell; called with an argument, it tells cell and converter.
(define (%parameter cell convert)
  (lambda inside (if (null? inside) (car cell) (cons cell convert))))
(define (make-parameter content . converter)
  (let ((convert (if (pair? converter) (car converter) values)))
    (%parameter (list (convert content)) convert)))
(define current-input-port (%parameter (%input-cell) values))
(define current-output-port (%parameter (%output-cell) values))
(define (%with-parameters parameters contents thunk)
  (let* ((insides (%map1 (lambda (parameter) (parameter 'inside)) parameters))
         (cells (%map1 car insides))
         (others (map (lambda (inside content) ((cdr inside) content)) insides contents)))
    (define (swap!)
      (let ((now (%map1 car cells)))
        (for-each set-car! cells others)
        (set! others now)))
    (dynamic-wind swap! thunk swap!)))
(define-syntax parameterize
  (syntax-rules ()
    ((_ ((parameter content) ...) body ...)
     (%with-parameters (list parameter ...) (list content ...) (lambda () body ...)))))

(define-record-type %promise (%make-promise done? content) promise?
  (done? %promise-done? %set-promise-done!) (content %promise-content %set-promise-content!))
(define-syntax delay-force
  (syntax-rules () ((_ expression) (%make-promise #f (lambda () expression)))))
(define-syntax delay
  (syntax-rules () ((_ expression) (delay-force (%make-promise #t expression)))))
(define (make-promise x) (if (promise? x) x (%make-promise #t x)))
(define (force x)
  (let loop ()
    (cond ((not (promise? x)) x)
          ((%promise-done? x) (%promise-content x))
          (else
           (let ((next ((%promise-content x))))
             (unless (%promise-done? x)
               (%set-promise-done! x (%promise-done? next))
               (%set-promise-content! x (%promise-content next)))
             (loop))))))

;; ---- Printing -----------------------------------------------------------------------------------

(define (display x . port) (%print x (if (pair? port) (car port) (current-output-port)) #f))
(define (write x . port) (%print x (if (pair? port) (car port) (current-output-port)) #t))
(define write-shared write)
(define write-simple write)
(define (%print x port write?)
  (define (put text) (write-string text port))
  (define (print-quoted mark text)
    (put mark)
    (string-for-each
      (lambda (c)
        (cond ((or (char=? c #\\) (string=? (string c) mark)) (put "\\") (write-char c port))
              ((assv c '((#\newline . "\\n") (#\return . "\\r") (#\tab . "\\t") (#\alarm . "\\a")))
               => (lambda (escape) (put (cdr escape))))
              ((or (char<? c #\space) (char=? c #\delete))
               (put (string-append "\\x" (number->string (char->integer c) 16) ";")))
              (else (write-char c port))))
      text)
    (put mark))
  (define (print-items before items after)
    (let loop ((l items) (slow items) (step? #f) (before before))
      (cond ((null? l) (put (if (eq? l items) before "")) (put after))
            ((not (pair? l)) (put " . ") (print l) (put after))
            ((and (eq? l slow) step?) (put " ...circular") (put after))
            (else
             (put before)
             (print (car l))
             (loop (cdr l) (if step? (cdr slow) slow) (not step?) " ")))))
  (define depth 0)
  (define (print x)
    (set! depth (+ depth 1))
    (if (> depth 20000) (error "data nested too deeply to be printed"))
    (print-at-depth x)
    (set! depth (- depth 1)))
  (define (print-at-depth x)
    (cond ((string? x) (if write? (print-quoted "\"" x) (put x)))
          ((symbol? x)
           (let ((name (symbol->string x)))
             (if (and write? (%odd? name)) (print-quoted "|" name) (put name))))
          ((number? x) (put (number->string x)))
          ((char? x)
           (when write? (put "#\\"))
           (if (and write? (%char-name x)) (put (%char-name x)) (write-char x port)))
          ((and (pair? x) (pair? (cdr x)) (null? (cddr x)) (assq (car x) %prefixes))
           => (lambda (prefix) (put (cdr prefix)) (print (cadr x))))
          ((pair? x) (print-items "(" x ")"))
          ((vector? x) (print-items "#(" (vector->list x) ")"))
          ((bytevector? x) (print-items "#u8(" (bytevector->list x) ")"))
          ((assv x '((() . "()") (#t . "#t") (#f . "#f") (#!eof . "#!eof")))
           => (lambda (named) (put (cdr named))))
          ((%slots x) ; of a record: its type, then its fields
           => (lambda (slots)
                (print-items "#<" (cons (cadr (%slots (car slots))) (cdr slots)) ">")))
          ((procedure? x) (print-items "#<procedure " (list (%procedure-name x)) ">"))
          (else
           (put (cond ((port? x) "#<port>")
                      ((hash-table? x) "#<hash-table>")
                      ((eq? x (if #f #f)) "#<unspecified>")
                      (else "#<object>"))))))
  (print x))
(define %prefixes
  '((quote . "'") (quasiquote . "`") (unquote . ",") (unquote-splicing . ",@")))
;; Whether a symbol of this name would be read as something else.
(define (%odd? name)
  (let ((chars (string->list name)))
    (or (null? chars) (eqv? (car chars) #\#) (equal? name ".") (string->number name)
        (let loop ((l chars))
          (and (pair? l)
               (or (memv (car l) (string->list " ()\"';|`,\n\t")) (loop (cdr l))))))))

;; ---- Errors -------------------------------------------------------------------------------------

;; The interpreter makes these too: primitives.c.
(define-record-type %condition (%make-condition kind message irritants) error-object?
  (kind %kind) (message error-object-message) (irritants error-object-irritants))
(define (%is-of-kind? x kind) (and (error-object? x) (eq? (%kind x) kind)))
(define (read-error? x) (%is-of-kind? x 'read))
(define (file-error? x) (%is-of-kind? x 'file))

(define (%with-handlers handlers thunk)
  (let ((outer (%handlers)))
    (%set-handlers! handlers)
    (call-with-values thunk
      (lambda results
        (%set-handlers! outer)
        (apply values results)))))
(define (with-exception-handler handler thunk)
  (unless (procedure? handler) (error "with-exception-handler: not a procedure:" handler))
  (%with-handlers (cons handler (%handlers)) thunk))
(define (raise-continuable x)
  (let ((handlers (%handlers)))
    (if (null? handlers) (%uncaught x))
    (%with-handlers (cdr handlers) (lambda () ((car handlers) x)))))
(define (%raise x) ; also what the virtual machine calls
  (raise-continuable x)
  (%set-handlers! (cdr (%handlers)))
  (%raise (%make-condition 'error "a handler returned from a raise of:" (list x))))
(define raise %raise)
(define (error message . irritants) (raise (%make-condition 'error message irritants)))

(define-syntax guard
  (syntax-rules ()
    ((_ (name clause ...) body ...)
     ((call/cc
       (lambda (return)
         (with-exception-handler
           (lambda (condition)
             ((call/cc
               (lambda (resume)
                 (return
                  (lambda ()
                    (let ((name condition))
                      (%guard (resume (lambda () (raise-continuable condition)))
                              clause ...))))))))
           (lambda ()
             (call-with-values (lambda () body ...)
               (lambda results (return (lambda () (apply values results)))))))))))))
(define-syntax %guard
  (syntax-rules (else)
    ((_ again clause ... (else body ...)) (cond clause ... (else body ...)))
    ((_ again clause ...) (cond clause ... (else again)))))

(define %back-to-prompt #f)
(define (%uncaught x)
  (let ((port (open-output-string))) ; an error while it prints leads here once more
    (display (or (%place-now) "scheme") port)
    (display ": error: " port)
    (display (if (error-object? x) (error-object-message x) "uncaught object:") port)
    (for-each (lambda (irritant) (display " " port) (write irritant port))
              (if (error-object? x) (error-object-irritants x) (list x)))
    (newline port)
    (%complain (get-output-string port)))
  (if %back-to-prompt (%back-to-prompt #f))
  (emergency-exit (if (file-error? x) 3 1)))

;; ---- Ports --------------------------------------------------------------------------------------

(define (call-with-port port f)
  (call-with-values (lambda () (f port))
    (lambda results (close-port port) (apply values results))))
(define (call-with-input-file name f) (call-with-port (open-input-file name) f))
(define (call-with-output-file name f) (call-with-port (open-output-file name) f))
(define (with-input-from-file name thunk)
  (call-with-input-file name
    (lambda (port) (parameterize ((current-input-port port)) (thunk)))))
(define (with-output-to-file name thunk)
  (call-with-output-file name
    (lambda (port) (parameterize ((current-output-port port)) (thunk)))))

;; ---- Evaluation ---------------------------------------------------------------------------------

(define (eval expression . environment) ((%compile expression)))
(define (interaction-environment) #f)
(define (scheme-report-environment version) #f)
(define (environment . libraries) #f)
(define (features) '(r7rs full-unicode))

;; A whole file is read first, so that calls to primitives that it redefines are not inlined.
(define (load name . environment)
  (let ((port (open-input-file name)) (outer (%place-now)))
    (let loop ((forms '()) (places '()))
      (let ((form (read port)))
        (cond ((eof-object? form)
               (close-port port)
               (for-each %note-definition forms)
               (let run ((forms (reverse! forms)) (places (reverse! places)))
                 (when (pair? forms)
                   (%evaluate-at (car forms) (car places))
                   (run (cdr forms) (cdr places)))))
              (else (loop (cons form forms) (cons (%place port) places))))))
    (%set-place! outer)))
(define (%evaluate-at form place)
  (%set-place! place)
  (eval form))
(define (%note-definition form)
  (define (note name) (if (pair? name) (note (car name)) (%redefine! name)))
  (when (and (pair? form) (pair? (cdr form)))
    (case (car form)
      ((define) (note (cadr form)))
      ((begin) (for-each %note-definition (cdr form))))))
(define (%evaluate-from port)
  (let ((form (read port)))
    (unless (eof-object? form)
      (%evaluate-at form (%place port))
      (%evaluate-from port))))
(define (%repl)
  (call/cc (lambda (k) (set! %back-to-prompt k)))
  (%edit-input!)
  (%set-place! #f)
  (let loop ()
    (let ((form (if (input-port-open? (current-input-port)) (read) #!eof)))
      (unless (eof-object? form)
        (call-with-values (lambda () (eval form))
          (lambda results
            (for-each (lambda (x) (unless (eq? x (if #f #f)) (write x) (newline))) results)))
        (loop))))
  (newline))

(define %usage "usage: scheme [FILE | -e EXPRESSION]... [--concurrent] [--gc-stats]
Runs Scheme files and expressions in order; without any, reads from the terminal or from
standard input.
  -e EXPRESSION  evaluate the expression
  --concurrent   mark while the program runs: short pauses, for a share of a processor and memory
  --gc-stats     at the end, print collections, their time and the longest pause to standard error
  --help         print this
")
(define (%main program . arguments)
  (let loop ((left arguments) (actions '()))
    (if (null? left)
        (cond ((pair? actions) (for-each (lambda (run) (run)) (reverse actions)))
              ((%terminal?) (%repl))
              (else (%evaluate-from (current-input-port))))
        (let ((first (car left)) (rest (cdr left)))
          (cond ((string=? first "--help") (display %usage) (exit))
                ((string=? first "--concurrent") (loop rest actions)) ; main.c has seen it
                ((string=? first "--gc-stats")
                 (%print-statistics-at-exit)
                 (loop rest actions))
                ((and (string=? first "-e") (pair? rest))
                 (loop (cdr rest)
                       (cons (lambda () (%evaluate-from (open-input-string (car rest)))) actions)))
                ((and (string<=? "-" first) (string<? first "."))
                 (display (string-append program ": bad option " first "\n" %usage)
                          (current-error-port))
                 (exit 2))
                (else (loop rest (cons (lambda () (load first)) actions))))))))
