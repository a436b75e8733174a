// Written by a test of the server's escaper (UPDATE_TWINS=1 cargo test -p sayso-core twins). Not to be edited.

/** Letters that an eye takes for ASCII: the step to each run, and its length when it is not one, in base 36. */
export const RUNS =
  'gh f 1 5+2 4 k 6 3 4 e 2 3+2 d+6 7 1 1+2 4 t 3p 9+2 h+2 2+3 1+2 1+2 ' +
  '1 1 2+2 1 9 1 5 3 1 1 1 1 c 9 b 3+2 3+3 4+3 a+2 1 7 1 2 1 ' +
  '2 1+3 1+4 1 5+2 1 1+2 1 1 8 1+2 1 1 2 c+2 1 8 i+2 2+2 n s+2 a+2 1 2 ' +
  'e 4+2 a w a d+4 13 7 1 5 a+2 1 2 9 4 2 3+2 3+2 1+3 2 23 2+2 5 1 ' +
  'e+3 1g o 6 o+2 3 1 2e 2 j q+2 3 1 5k 9+3 6 1 a j+2 4 1x 5e 2q 2 ' +
  'j 2w 3 2 3c+2 2 o 2q 2 p s 1x 1 3h r 2r r 2r r s+2 1x 6 k 5p ' +
  '3j 8j o y p 2m 3 9 5 p l 1 b 1n 38 1d h 5r 5r+3 2 3+4 1 4 3 ' +
  '3 1 2 1+2 a+2 2 1+2 3+2 3+2 2 3+2 6 4+2 1g 5 3 4 h 1 q 5 1 2 j+3 ' +
  '4 s k 3k+2 19 c+2 9 13 4 g o b 5 6 u 4b 4 9 a 3 4+2 17 13 y ' +
  'l 3g 6r a8 1m f 9l 1 6 3y+3 g x 5 1 1h e a 1 a 3+3 3 1w n 8 ' +
  '19 67 2 2k 4 5a 2t v 59 7+5 1+4 1 3+5 6 3 1 1+2 1+3 1+2 8 7+5 9+19 45+2 v ' +
  'fx+14 121 2 he+2 l 2 6+3 3+3 3 1 1 1+2 2+5 1+2 2 d+2 1 6 1+2 2+3 1+3 1+2 8 28 ' +
  'a+2 g 4 1 2+2 7 8 io 17 4a 1v 7 18 1k 5ms 11 a 8 h3k+5 1+2 1+2 1+2 1+5 2+2 ' +
  '2+3 1 1 1+3 3+4 1 d a 18 j n 6 i 1t 1s 1j 2 28+2 1b l b 3 1k 8+d ' +
  'g+2 a f 3+2 7+2 8 7 1+2 b+2 5 b 2 3+3 1x 3 1d gc 50 2 7 5 3+2 5 3 ' +
  '7 8+2 g b 1 f a 5 4+2 4 e 19 fmb+7 4f+8 kf+2 2i+4 z+a 7+q 6+q 1a 19 aw+2 p 1b ' +
  '6u 3+2 2 5 1 2+3 3 4+3 2 5 4+3 1 q 11 b+2 6 5 1 3 1 2 1 2+2 1 ' +
  'a 5y g 5 4 b g a 2z d b 3 n b g 6 4 2 1 2 1 7+3 se 5 ' +
  'km 3 7+3 s 1v y s 1j 1 a l6 28 1 18 4h 2l an 8y 3u 6l 6l 2b 5 3 ' +
  '3+2 88 2v 1+3 1 2 2 1+2 2 2 2 2+2 3+5 1 1 1 1 8+4 3 3 2 1+2 2 2 ' +
  '2 2 cp 1 m2+2 5+2 7vj 6uf 9j 1o q 58 i 2 hi 7y 7 v b 29 1 b h c ' +
  '4+2 3+2 1+2 d+3 iho+a vn ed 3 3s+2d 1+1z 1+2 2 2+2 2+4 1+c 1 1+7 1+1t 1+4 2+8 1+7 1+s 1+4 1+5 ' +
  '1 3+7 1+9g 2+2 2+3 1+2 1+2 1 1 2+2 1 3 1 5 3 1 1 1 1 9 1+2 2+3 1+2 1+2 ' +
  '1 1 2+2 1 3 1 5 3 1 1 1 1 9 1+2 2+3 1+2 1+2 1 1 2+2 1 3 1 5 ' +
  '3 1 1 1 1 9 1+2 2+3 1+2 1+2 1 1 2+2 1 3 1 5 3 1 1 1 1 9 1+2 ' +
  '2+3 1+2 1+2 1 1 2+2 1 3 1 5 3 1 1 1 1 9 1 3+1e 1ga 2+3 4+2 4 i 3 ' +
  'ce+2 3 bu 1 s6 d9 3 3j o2 2a 72 z 1r r 3 hn+b 25h+a ' +
  '';
