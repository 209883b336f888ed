// Containers and range-for: a polynomial of degree 16 per element has work enough to be compute-bound.
#include <cstddef>
#include <vector>

void horner(const std::vector<double> &x, std::vector<double> &y, const double (&c)[17])
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        double value = c[16];
        for (int k = 15; k >= 0; --k)
            value = value * x[i] + c[k];
        y[i] = value;
    }
}

double norm2(const std::vector<double> &x)
{
    double sum = 0.0;
    for (double value : x)
        sum += value * value;
    return sum;
}

// How long a list is and where its nodes lie, only the run knows: the report says so.
struct node {
    double value;
    node *next;
};

double list_sum(const node *head)
{
    double sum = 0.0;
    for (const node *p = head; p != nullptr; p = p->next)
        sum += p->value;
    return sum;
}
