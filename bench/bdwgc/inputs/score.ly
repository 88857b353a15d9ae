\version "2.22.0"
% A page of notes.
\header { tagline = ##f }
{
  \repeat unfold 24 {
    c'4 d'8 e' f'4 g' | \tuplet 3/2 { a'8 b' c'' } d''4 e''2 | <c' e' g'>2 ~ 4 r |
  }
}
