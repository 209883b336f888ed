/* Array of structs: a step touches 48 of each particle's 64 bytes, but whole lines travel. */
struct particle {
    double x, y, z;
    double vx, vy, vz;
    double mass, charge;
};

void drift(int n, struct particle *p, double dt)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

/* Only the mass is needed here: 8 of 64 bytes. */
double total_mass(int n, const struct particle *p)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += p[i].mass;
    return sum;
}
