struct node;
double list(node *p) {
  double s = 0;
  while (p) {
    s += p->value;
    p = p->next;
  }
  return s;
}
