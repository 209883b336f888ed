/* What one call on fresh data leaves behind, so that two programs can be compared: all contents
 * before the call and after it, each behind a record with their number of bytes. What differs
 * between the two is a result; addresses and padding do not. */
#include "internal.h"

static void contents_report(size_t total)
{
    report("{\"record\":\"raw\",\"bytes\":%zu}\n", total);
    for (int i = 0; i < rooflint_array_count; i++)
        report_bytes(region(i)->low, (size_t)(region(i)->high - region(i)->low));
    for (int i = 0; i < rooflint_cell_count; i++)
        report_bytes(rooflint_cells[i].at, rooflint_cells[i].bytes);
}

static size_t content(const char *name, long long low, size_t bytes)
{
    report("{\"record\":\"content\",\"name\":\"%s\",\"low\":%lld,\"bytes\":%zu}\n", name, low, bytes);
    return bytes;
}

static void results_report(void)
{
    size_t total = 0;
    regions_open();
    for (int i = 0; i < rooflint_array_count; i++) {
        const struct region *r = region(i);
        long long low = r->low ? (long long)(r->low - r->data) : 0;
        total += content(rooflint_arrays[i].name, low, (size_t)(r->high - r->low));
    }
    for (int i = 0; i < rooflint_cell_count; i++)
        total += content(rooflint_cells[i].name, 0, rooflint_cells[i].bytes);
    if ((long long)total > own.settings.results)
        stop_with(STOP_RESULTS, (long long)total);
    contents_report(total);
    rooflint_return();
    contents_report(total);
    report("{\"record\":\"done\",\"late_pages\":%lld,\"ran_away\":false}\n", regions_late_pages());
}
