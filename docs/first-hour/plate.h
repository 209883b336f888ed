enum { SIZE = 2000 };

void start(void);
void step(double rate);
double change(void);
void accept(void);
