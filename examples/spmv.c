/* Sparse matrix times vector, CSR. How long a row is depends on data: the comment says what is
   typical here. x is read through col, which only the data knows. */
void spmv(int rows, const int *row, const int *col, const double *val, const double *x, double *y)
{
    /* rooflint: row[i+1]-row[i]=27 */
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int k = row[i]; k < row[i + 1]; k++)
            sum += val[k] * x[col[k]];
        y[i] = sum;
    }
}
