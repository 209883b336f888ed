//! edit: arrays of records for records of arrays
//! form: one member of eight
//! sizes: n=1000000
//! reason: B per step|B per iteration instead of
//! before
struct Particles { double *x, *y, *z, *vx, *vy, *vz, *mass, *charge; };
double mass(int n, const struct Particles *p)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += p->mass[i];
    return s;
}
//! after
struct Particle { double x, y, z, vx, vy, vz, mass, charge; };
double mass(int n, const struct Particle *p)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].mass;
    return s;
}
