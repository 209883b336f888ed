//! edit: arrays of records for records of arrays
//! form: two members written
//! sizes: n=1000000
//! reason: B per iteration instead of|vectors of
//! before
void push(int n, double dt, double *__restrict x, double *__restrict y,
          const double *__restrict vx, const double *__restrict vy)
{
    for (int i = 0; i < n; i++) {
        x[i] += dt * vx[i];
        y[i] += dt * vy[i];
    }
}
//! after
struct Body { double x, y, z, vx, vy, vz, mass, charge; };
void push(int n, double dt, Body *__restrict p)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
    }
}
