/* Strings, streams and errors. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ iosfwd
#include <__rooflint_core>
namespace std {
template <class __C> struct char_traits;
template <class __C, class __R = char_traits<__C>, class __A = allocator<__C>> class basic_string;
typedef basic_string<char> string;
typedef basic_string<wchar_t> wstring;
typedef basic_string<char16_t> u16string;
typedef basic_string<char32_t> u32string;
template <class __C, class __R = char_traits<__C>> class basic_ostream;
template <class __C, class __R = char_traits<__C>> class basic_istream;
typedef basic_ostream<char> ostream;
typedef basic_istream<char> istream;
typedef basic_ostream<wchar_t> wostream;
class ios_base;
typedef ptrdiff_t streamsize, streamoff;
}
//@ string_view
#include <iosfwd>
#include <__rooflint_basics>
#include <string.h>
namespace std {
template <class __C> struct char_traits {
  typedef __C char_type;
  typedef int int_type;
  static size_t length(const __C *);
  static int compare(const __C *, const __C *, size_t);
  static __C *copy(__C *, const __C *, size_t);
  static constexpr int eof() { return -1; }
};
#define __ROOFLINT_FIND(T)                                                                         \
  size_t find(T, size_t = 0) const;                                                                \
  size_t rfind(T, size_t = npos) const;                                                            \
  size_t find_first_of(T, size_t = 0) const;                                                       \
  size_t find_last_of(T, size_t = npos) const;                                                     \
  size_t find_first_not_of(T, size_t = 0) const;                                                   \
  size_t find_last_not_of(T, size_t = npos) const;
#define __ROOFLINT_AFFIX(T)                                                                        \
  bool starts_with(T) const;                                                                       \
  bool ends_with(T) const;                                                                         \
  bool contains(T) const;
template <class __C, class __R = char_traits<__C>> class basic_string_view {
  const __C *__data;
  size_t __size;

public:
  typedef __C value_type;
  typedef const __C &reference, &const_reference;
  typedef const __C *iterator, *const_iterator;
  typedef size_t size_type;
  static constexpr size_t npos = -1;
  constexpr basic_string_view() noexcept : __data(nullptr), __size(0) {}
  constexpr basic_string_view(const __C *__p) : __data(__p), __size(__builtin_strlen(__p)) {}
  constexpr basic_string_view(const __C *__p, size_t __n) : __data(__p), __size(__n) {}
  constexpr const __C &operator[](size_t __i) const { return __data[__i]; }
  constexpr const __C &at(size_t __i) const { return __data[__i]; }
  constexpr const __C &front() const { return __data[0]; }
  constexpr const __C &back() const { return __data[__size - 1]; }
  constexpr const __C *data() const { return __data; }
  constexpr const __C *begin() const { return __data; }
  constexpr const __C *end() const { return __data + __size; }
  constexpr const __C *cbegin() const { return __data; }
  constexpr const __C *cend() const { return __data + __size; }
  constexpr size_t size() const { return __size; }
  constexpr size_t length() const { return __size; }
  constexpr bool empty() const { return __size == 0; }
  constexpr basic_string_view substr(size_t __i = 0, size_t __n = npos) const {
    return basic_string_view(__data + __i, __n < __size - __i ? __n : __size - __i);
  }
  __ROOFLINT_CONSTEXPR void remove_prefix(size_t __n) { __data += __n; __size -= __n; }
  __ROOFLINT_CONSTEXPR void remove_suffix(size_t __n) { __size -= __n; }
  int compare(basic_string_view) const;
  __ROOFLINT_FIND(basic_string_view) __ROOFLINT_FIND(__C)
  __ROOFLINT_AFFIX(basic_string_view) __ROOFLINT_AFFIX(__C)
  friend bool operator==(basic_string_view, basic_string_view) { return true; }
  friend bool operator!=(basic_string_view, basic_string_view) { return false; }
  friend bool operator<(basic_string_view, basic_string_view) { return false; }
  friend basic_ostream<__C> &operator<<(basic_ostream<__C> &__o, basic_string_view) { return __o; }
};
typedef basic_string_view<char> string_view;
typedef basic_string_view<wchar_t> wstring_view;
#if __cplusplus >= 201402L
inline namespace literals {
inline namespace string_view_literals {
constexpr string_view operator""sv(const char *__p, size_t __n) noexcept { return string_view(__p, __n); }
}
}
#endif
}
//@ string
#include <string_view>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <errno.h>
namespace std {
#define __ROOFLINT_STRING basic_string<__C, __R, __A>
template <class __C, class __R, class __A> class basic_string {
  __C *__data;
  size_t __size, __capacity;

public:
  typedef __C value_type, &reference, *pointer, *iterator;
  typedef const __C &const_reference, *const_pointer, *const_iterator;
  typedef std::reverse_iterator<iterator> reverse_iterator;
  typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
  typedef __R traits_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  static constexpr size_t npos = -1;
  basic_string();
  basic_string(const basic_string &);
  basic_string(basic_string &&) noexcept;
  basic_string(const __C *, const __A & = __A());
  basic_string(const __C *, size_t, const __A & = __A());
  basic_string(const basic_string &, size_t, size_t = npos);
  basic_string(size_t, __C);
  basic_string(initializer_list<__C>);
  template <class __I, class = typename iterator_traits<__I>::value_type> basic_string(__I, __I);
  template <class __V, class = enable_if_t<__is_same(__V, basic_string_view<__C, __R>)>> explicit basic_string(const __V &);
  ~basic_string();
  basic_string &operator=(const basic_string &);
  basic_string &operator=(basic_string &&) noexcept;
  basic_string &operator=(const __C *);
  basic_string &operator=(__C);
  basic_string &operator=(basic_string_view<__C, __R>);
  operator basic_string_view<__C, __R>() const noexcept;
  __C &operator[](size_t __i) { return __data[__i]; }
  const __C &operator[](size_t __i) const { return __data[__i]; }
  __C &at(size_t __i) { return __data[__i]; }
  const __C &at(size_t __i) const { return __data[__i]; }
  __C &front() { return __data[0]; }
  const __C &front() const { return __data[0]; }
  __C &back() { return __data[__size - 1]; }
  const __C &back() const { return __data[__size - 1]; }
  __C *data() { return __data; }
  const __C *data() const { return __data; }
  const __C *c_str() const { return __data; }
  __C *begin() { return __data; }
  const __C *begin() const { return __data; }
  const __C *cbegin() const { return __data; }
  __C *end() { return __data + __size; }
  const __C *end() const { return __data + __size; }
  const __C *cend() const { return __data + __size; }
  reverse_iterator rbegin();
  reverse_iterator rend();
  const_reverse_iterator rbegin() const;
  const_reverse_iterator rend() const;
  size_t size() const { return __size; }
  size_t length() const { return __size; }
  size_t max_size() const;
  size_t capacity() const { return __capacity; }
  bool empty() const { return __size == 0; }
  void clear();
  void reserve(size_t = 0);
  void resize(size_t, __C = __C());
  void shrink_to_fit();
  void push_back(__C);
  void pop_back();
  basic_string &operator+=(const basic_string &);
  basic_string &operator+=(const __C *);
  basic_string &operator+=(__C);
  basic_string &operator+=(basic_string_view<__C, __R>);
  basic_string &append(const basic_string &);
  basic_string &append(const basic_string &, size_t, size_t = npos);
  basic_string &append(const __C *);
  basic_string &append(const __C *, size_t);
  basic_string &append(size_t, __C);
  template <class __I, class = typename iterator_traits<__I>::value_type> basic_string &append(__I, __I);
  basic_string &assign(const basic_string &);
  basic_string &assign(const __C *);
  basic_string &assign(const __C *, size_t);
  basic_string &assign(size_t, __C);
  template <class __I, class = typename iterator_traits<__I>::value_type> basic_string &assign(__I, __I);
  basic_string &insert(size_t, const basic_string &);
  basic_string &insert(size_t, const __C *);
  basic_string &insert(size_t, size_t, __C);
  iterator insert(const_iterator, __C);
  basic_string &erase(size_t = 0, size_t = npos);
  iterator erase(const_iterator);
  iterator erase(const_iterator, const_iterator);
  basic_string &replace(size_t, size_t, const basic_string &);
  basic_string &replace(size_t, size_t, const __C *);
  basic_string &replace(size_t, size_t, size_t, __C);
  basic_string substr(size_t = 0, size_t = npos) const;
  size_t copy(__C *, size_t, size_t = 0) const;
  int compare(const basic_string &) const;
  int compare(const __C *) const;
  int compare(size_t, size_t, const basic_string &) const;
  int compare(size_t, size_t, const __C *) const;
  __ROOFLINT_FIND(const basic_string &) __ROOFLINT_FIND(const __C *) __ROOFLINT_FIND(__C)
  __ROOFLINT_AFFIX(const basic_string &) __ROOFLINT_AFFIX(const __C *) __ROOFLINT_AFFIX(__C)
  size_t find(const __C *, size_t, size_t) const;
  size_t find_first_of(const __C *, size_t, size_t) const;
  void swap(basic_string &);
};
#define __ROOFLINT_TEMPLATE template <class __C, class __R, class __A>
__ROOFLINT_TEMPLATE __ROOFLINT_STRING operator+(const __ROOFLINT_STRING &, const __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE __ROOFLINT_STRING operator+(const __ROOFLINT_STRING &, const __C *);
__ROOFLINT_TEMPLATE __ROOFLINT_STRING operator+(const __ROOFLINT_STRING &, __C);
__ROOFLINT_TEMPLATE __ROOFLINT_STRING operator+(const __C *, const __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE __ROOFLINT_STRING operator+(__C, const __ROOFLINT_STRING &);
#define __ROOFLINT_RELATION(op)                                                                    \
  __ROOFLINT_TEMPLATE bool operator op(const __ROOFLINT_STRING &, const __ROOFLINT_STRING &);      \
  __ROOFLINT_TEMPLATE bool operator op(const __ROOFLINT_STRING &, const __C *);                    \
  __ROOFLINT_TEMPLATE bool operator op(const __C *, const __ROOFLINT_STRING &);
__ROOFLINT_RELATION(==) __ROOFLINT_RELATION(!=) __ROOFLINT_RELATION(<)
__ROOFLINT_RELATION(>) __ROOFLINT_RELATION(<=) __ROOFLINT_RELATION(>=)
__ROOFLINT_TEMPLATE void swap(__ROOFLINT_STRING &, __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE basic_ostream<__C, __R> &operator<<(basic_ostream<__C, __R> &, const __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE basic_istream<__C, __R> &operator>>(basic_istream<__C, __R> &, __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE basic_istream<__C, __R> &getline(basic_istream<__C, __R> &, __ROOFLINT_STRING &);
__ROOFLINT_TEMPLATE basic_istream<__C, __R> &getline(basic_istream<__C, __R> &, __ROOFLINT_STRING &, __C);
int stoi(const string &, size_t * = nullptr, int = 10);
long stol(const string &, size_t * = nullptr, int = 10);
long long stoll(const string &, size_t * = nullptr, int = 10);
unsigned long stoul(const string &, size_t * = nullptr, int = 10);
unsigned long long stoull(const string &, size_t * = nullptr, int = 10);
float stof(const string &, size_t * = nullptr);
double stod(const string &, size_t * = nullptr);
long double stold(const string &, size_t * = nullptr);
string to_string(int);
string to_string(long);
string to_string(long long);
string to_string(unsigned int);
string to_string(unsigned long);
string to_string(unsigned long long);
string to_string(float);
string to_string(double);
string to_string(long double);
#if __cplusplus >= 201402L
inline namespace literals {
inline namespace string_literals {
string operator""s(const char *, size_t);
}
}
#endif
}
//@ exception
#include <new>
#include <typeinfo>
namespace std {
class bad_exception : public exception {};
typedef void (*terminate_handler)();
terminate_handler set_terminate(terminate_handler) noexcept;
terminate_handler get_terminate() noexcept;
[[noreturn]] void terminate() noexcept;
bool uncaught_exception() noexcept;
class exception_ptr {
public:
  exception_ptr(nullptr_t = nullptr) noexcept;
  explicit operator bool() const noexcept;
};
exception_ptr current_exception() noexcept;
[[noreturn]] void rethrow_exception(exception_ptr);
template <class __E> exception_ptr make_exception_ptr(__E) noexcept;
}
//@ stdexcept
#include <string>
#include <exception>
#define __ROOFLINT_ERROR(name, base)                                                               \
  class name : public base {                                                                       \
  public:                                                                                          \
    explicit name(const string &);                                                                 \
    explicit name(const char *);                                                                   \
  };
namespace std {
class logic_error : public exception {
public:
  explicit logic_error(const string &);
  explicit logic_error(const char *);
};
class runtime_error : public exception {
public:
  explicit runtime_error(const string &);
  explicit runtime_error(const char *);
};
__ROOFLINT_ERROR(domain_error, logic_error)
__ROOFLINT_ERROR(invalid_argument, logic_error)
__ROOFLINT_ERROR(length_error, logic_error)
__ROOFLINT_ERROR(out_of_range, logic_error)
__ROOFLINT_ERROR(range_error, runtime_error)
__ROOFLINT_ERROR(overflow_error, runtime_error)
__ROOFLINT_ERROR(underflow_error, runtime_error)
}
//@ system_error
#include <stdexcept>
namespace std {
enum class errc { invalid_argument = 22, result_out_of_range = 34 };
struct error_code {
  error_code() noexcept;
  int value() const noexcept;
  string message() const;
  explicit operator bool() const noexcept;
};
class system_error : public runtime_error {
public:
  system_error(error_code, const string &);
  const error_code &code() const noexcept;
};
}
//@ charconv
#include <system_error>
namespace std {
struct from_chars_result { const char *ptr; errc ec; };
struct to_chars_result { char *ptr; errc ec; };
template <class __T> from_chars_result from_chars(const char *, const char *, __T &, int = 10);
template <class __T, class... __X> to_chars_result to_chars(char *, char *, __T, __X...);
}
//@ locale
#include <string>
namespace std {
class locale {
public:
  locale();
  explicit locale(const char *);
  static const locale &classic();
  static locale global(const locale &);
};
template <class __C> bool isspace(__C, const locale &);
template <class __C> bool isdigit(__C, const locale &);
template <class __C> bool isalpha(__C, const locale &);
template <class __C> __C tolower(__C, const locale &);
template <class __C> __C toupper(__C, const locale &);
}
