//! edit: early exit added
//! form: return in a search of all
//! sizes: n=1000
//! reason: vectors of . became 1
//! otherwise: gcc -O2
//! why: scalar before and after: gcc vectorizes no sum of unknown length at -O2
//! before
int negatives(int n, const int *x)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        found |= x[i] < 0;
    return found;
}
//! after
int negatives(int n, const int *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            return 1;
    return 0;
}
