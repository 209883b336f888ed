/* What the harness and the glue around a function tell each other. The glue is compiled as the
 * user's code is, in C or C++; everything else by the harness' own flags. */
#ifndef ROOFLINT_HARNESS_H
#define ROOFLINT_HARNESS_H

/* No header of the C library comes before the user's file, which may configure it. */
typedef __SIZE_TYPE__ rooflint_size_type;

#ifdef __cplusplus
extern "C" {
#endif

enum rooflint_kind { ROOFLINT_F64, ROOFLINT_F32, ROOFLINT_OTHER };

/* Memory behind a pointer, or an array of the file at `fixed`, `fixed_bytes` long. `fill` writes
 * elements `first` to `first + count` to `to`. */
struct rooflint_elements {
    const char *name;
    rooflint_size_type bytes;
    enum rooflint_kind kind;
    void (*fill)(void *to, rooflint_size_type first, rooflint_size_type count);
    void *fixed;
    rooflint_size_type fixed_bytes;
};

/* A single object that the function may change: its value, a variable, an argument by reference. */
struct rooflint_cell {
    const char *name;
    void *at;
    rooflint_size_type bytes;
};

/* Defined by the glue. */
extern const struct rooflint_cell rooflint_cells[];
extern const int rooflint_cell_count;
extern const struct rooflint_elements rooflint_arrays[];
extern const int rooflint_array_count;
extern const char *const rooflint_size_names[];
extern long long rooflint_sizes[];
extern const int rooflint_size_count;
void rooflint_prepare(void); /* evaluates the arguments, once */
void rooflint_call(void);    /* calls the function once */
void rooflint_return(void);  /* the same, and keeps its value in a cell */

/* Defined by the harness. `rooflint_limit` is the least value that no integer in memory reaches. */
extern long long rooflint_limit;
void *rooflint_array(int array);
void *rooflint_row(int array, rooflint_size_type row);
double rooflint_fraction(rooflint_size_type element);
long long rooflint_whole(rooflint_size_type element);
void rooflint_fill_f64(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_f32(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_i64(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_i32(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_i16(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_i8(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_fill_zero(void *to, rooflint_size_type first, rooflint_size_type count);
void rooflint_begin(void); /* the marks around a nest */
void rooflint_end(void);

#ifdef __cplusplus
}
#endif
#endif
