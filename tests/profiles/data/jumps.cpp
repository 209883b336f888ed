int main() {
  volatile int s = 0;
  int i = 0;
  do {
    if (i == 7) break;
    ++i;
  } while (i < 100);
  for (int r = 0; r < 6; ++r) {
    int j = 0;
    do {
      if (j & 1) { ++j; continue; }
      ++j;
    } while (j < 10);
    s = s + j;
  }
  for (int r = 0; r < 9; ++r) {
    if (r == 2) continue;
    s += r;
  }
  int k = 3;
  while (k-- > 0)
    s += k;
  for (;;) {
    if (++k > 20) break;
  }
  return 0;
}
