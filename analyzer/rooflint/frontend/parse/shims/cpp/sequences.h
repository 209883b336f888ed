/* Sequence containers and views. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ __rooflint_sequence
#include <__rooflint_basics>
/* Element access has bodies: an analysis follows a subscript down to the pointer. */
#define __ROOFLINT_CONTAINER(T)                                                                    \
  typedef T value_type, &reference, *pointer;                                                      \
  typedef const T &const_reference, *const_pointer;                                                \
  typedef size_t size_type;                                                                        \
  typedef ptrdiff_t difference_type;
#define __ROOFLINT_ITERATORS(I, C)                                                                 \
  typedef I iterator;                                                                              \
  typedef C const_iterator;                                                                        \
  typedef std::reverse_iterator<iterator> reverse_iterator;                                        \
  typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
#define __ROOFLINT_COMPARED(C)                                                                     \
  template <class __T, class __A> bool operator==(const C<__T, __A> &, const C<__T, __A> &);       \
  template <class __T, class __A> bool operator!=(const C<__T, __A> &, const C<__T, __A> &);       \
  template <class __T, class __A> bool operator<(const C<__T, __A> &, const C<__T, __A> &);        \
  template <class __T, class __A> bool operator>(const C<__T, __A> &, const C<__T, __A> &);        \
  template <class __T, class __A> void swap(C<__T, __A> &, C<__T, __A> &);
namespace std {
template <class __I> using __rooflint_is_iterator = enable_if_t<!__is_arithmetic(__I)>;
}
//@ vector
#include <__rooflint_sequence>
namespace std {
template <class __T, class __A = allocator<__T>> class vector {
  __T *__data;
  size_t __size, __capacity;

public:
  __ROOFLINT_CONTAINER(__T)
  __ROOFLINT_ITERATORS(__T *, const __T *)
  typedef __A allocator_type;
  vector() noexcept;
  explicit vector(const __A &);
  explicit vector(size_t, const __A & = __A());
  vector(size_t, const __T &, const __A & = __A());
  template <class __I, class = __rooflint_is_iterator<__I>> vector(__I, __I, const __A & = __A());
  vector(initializer_list<__T>, const __A & = __A());
  vector(const vector &);
  vector(vector &&) noexcept;
  ~vector();
  vector &operator=(const vector &);
  vector &operator=(vector &&) noexcept;
  vector &operator=(initializer_list<__T>);
  __T &operator[](size_t __i) { return __data[__i]; }
  const __T &operator[](size_t __i) const { return __data[__i]; }
  __T &at(size_t __i) { return __data[__i]; }
  const __T &at(size_t __i) const { return __data[__i]; }
  __T &front() { return __data[0]; }
  const __T &front() const { return __data[0]; }
  __T &back() { return __data[__size - 1]; }
  const __T &back() const { return __data[__size - 1]; }
  __T *data() noexcept { return __data; }
  const __T *data() const noexcept { return __data; }
  __T *begin() noexcept { return __data; }
  const __T *begin() const noexcept { return __data; }
  const __T *cbegin() const noexcept { return __data; }
  __T *end() noexcept { return __data + __size; }
  const __T *end() const noexcept { return __data + __size; }
  const __T *cend() const noexcept { return __data + __size; }
  reverse_iterator rbegin();
  const_reverse_iterator rbegin() const;
  const_reverse_iterator crbegin() const;
  reverse_iterator rend();
  const_reverse_iterator rend() const;
  const_reverse_iterator crend() const;
  size_t size() const noexcept { return __size; }
  size_t max_size() const noexcept;
  size_t capacity() const noexcept { return __capacity; }
  bool empty() const noexcept { return __size == 0; }
  void resize(size_t);
  void resize(size_t, const __T &);
  void reserve(size_t);
  void shrink_to_fit();
  void clear() noexcept;
  void assign(size_t, const __T &);
  template <class __I, class = __rooflint_is_iterator<__I>> void assign(__I, __I);
  void assign(initializer_list<__T>);
  void push_back(const __T &);
  void push_back(__T &&);
  template <class... __X> __T &emplace_back(__X &&...);
  template <class... __X> iterator emplace(const_iterator, __X &&...);
  void pop_back();
  iterator insert(const_iterator, const __T &);
  iterator insert(const_iterator, __T &&);
  iterator insert(const_iterator, size_t, const __T &);
  template <class __I, class = __rooflint_is_iterator<__I>> iterator insert(const_iterator, __I, __I);
  iterator insert(const_iterator, initializer_list<__T>);
  iterator erase(const_iterator);
  iterator erase(const_iterator, const_iterator);
  void swap(vector &) noexcept;
  __A get_allocator() const;
};
class __rooflint_bit {
public:
  operator bool() const;
  __rooflint_bit &operator=(bool);
  __rooflint_bit &operator=(const __rooflint_bit &);
  __rooflint_bit &operator|=(bool);
  __rooflint_bit &operator&=(bool);
  void flip();
};
struct __rooflint_bits {
  typedef bool value_type;
  typedef __rooflint_bit reference, *pointer;
  typedef ptrdiff_t difference_type;
  typedef random_access_iterator_tag iterator_category;
  reference operator*() const;
  reference operator[](ptrdiff_t) const;
  __rooflint_bits &operator++();
  __rooflint_bits operator++(int);
  __rooflint_bits &operator--();
  __rooflint_bits operator+(ptrdiff_t) const;
  __rooflint_bits operator-(ptrdiff_t) const;
  ptrdiff_t operator-(const __rooflint_bits &) const;
  bool operator==(const __rooflint_bits &) const;
  bool operator!=(const __rooflint_bits &) const;
};
template <class __A> class vector<bool, __A> {
  unsigned long *__data;
  size_t __size;

public:
  typedef bool value_type, const_reference;
  typedef __rooflint_bit reference;
  typedef size_t size_type;
  typedef __rooflint_bits iterator, const_iterator;
  vector();
  explicit vector(size_t, bool = false);
  vector(initializer_list<bool>);
  template <class __I, class = __rooflint_is_iterator<__I>> vector(__I, __I);
  reference operator[](size_t);
  bool operator[](size_t) const;
  reference at(size_t);
  bool at(size_t) const;
  reference front();
  reference back();
  iterator begin() const;
  iterator end() const;
  size_t size() const { return __size; }
  bool empty() const { return __size == 0; }
  void resize(size_t, bool = false);
  void reserve(size_t);
  void assign(size_t, bool);
  void push_back(bool);
  void pop_back();
  void clear();
  void flip();
  void swap(vector &);
};
__ROOFLINT_COMPARED(vector)
#if __ROOFLINT_CPP17
template <class __I, class = __rooflint_is_iterator<__I>>
vector(__I, __I) -> vector<typename iterator_traits<__I>::value_type>;
#endif
#if __ROOFLINT_CPP20
template <class __T, class __A, class __U> size_t erase(vector<__T, __A> &, const __U &);
template <class __T, class __A, class __P> size_t erase_if(vector<__T, __A> &, __P);
#endif
}
//@ array
#include <__rooflint_sequence>
namespace std {
template <class __T, size_t __N> struct array {
  __ROOFLINT_CONTAINER(__T)
  __ROOFLINT_ITERATORS(__T *, const __T *)
  __T __data[__N ? __N : 1];
  __ROOFLINT_CONSTEXPR __T &operator[](size_t __i) { return __data[__i]; }
  constexpr const __T &operator[](size_t __i) const { return __data[__i]; }
  __ROOFLINT_CONSTEXPR __T &at(size_t __i) { return __data[__i]; }
  constexpr const __T &at(size_t __i) const { return __data[__i]; }
  __ROOFLINT_CONSTEXPR __T &front() { return __data[0]; }
  constexpr const __T &front() const { return __data[0]; }
  __ROOFLINT_CONSTEXPR __T &back() { return __data[__N - 1]; }
  constexpr const __T &back() const { return __data[__N - 1]; }
  __ROOFLINT_CONSTEXPR __T *data() noexcept { return __data; }
  constexpr const __T *data() const noexcept { return __data; }
  __ROOFLINT_CONSTEXPR __T *begin() noexcept { return __data; }
  constexpr const __T *begin() const noexcept { return __data; }
  constexpr const __T *cbegin() const noexcept { return __data; }
  __ROOFLINT_CONSTEXPR __T *end() noexcept { return __data + __N; }
  constexpr const __T *end() const noexcept { return __data + __N; }
  constexpr const __T *cend() const noexcept { return __data + __N; }
  reverse_iterator rbegin();
  reverse_iterator rend();
  constexpr size_t size() const noexcept { return __N; }
  constexpr size_t max_size() const noexcept { return __N; }
  constexpr bool empty() const noexcept { return __N == 0; }
  void fill(const __T &);
  void swap(array &);
};
template <class __T, size_t __N> struct tuple_size<array<__T, __N>> : integral_constant<size_t, __N> {};
template <size_t __i, class __T, size_t __N> struct tuple_element<__i, array<__T, __N>> { typedef __T type; };
template <size_t __i, class __T, size_t __N> __ROOFLINT_CONSTEXPR __T &get(array<__T, __N> &__a) noexcept { return __a[__i]; }
template <size_t __i, class __T, size_t __N> __ROOFLINT_CONSTEXPR const __T &get(const array<__T, __N> &__a) noexcept { return __a[__i]; }
template <class __T, size_t __N> __ROOFLINT_CONSTEXPR bool operator==(const array<__T, __N> &__a, const array<__T, __N> &__b) {
  for (size_t __i = 0; __i < __N; ++__i)
    if (!(__a[__i] == __b[__i])) return false;
  return true;
}
template <class __T, size_t __N> __ROOFLINT_CONSTEXPR bool operator!=(const array<__T, __N> &__a, const array<__T, __N> &__b) {
  return !(__a == __b);
}
template <class __T, size_t __N> bool operator<(const array<__T, __N> &, const array<__T, __N> &);
template <size_t __i, class __T, size_t __N> constexpr __T &&get(array<__T, __N> &&__a) noexcept { return static_cast<__T &&>(__a[__i]); }
#if __ROOFLINT_CPP17
template <class __T, class... __U> array(__T, __U...) -> array<__T, 1 + sizeof...(__U)>;
#endif
template <class __T, size_t __N> array<__remove_cv(__T), __N> to_array(__T (&)[__N]);
}
//@ span
#include <__rooflint_sequence>
namespace std {
constexpr size_t dynamic_extent = -1;
template <class __T, size_t __N = dynamic_extent> class span {
  __T *__data;
  size_t __size;

public:
  typedef __T element_type, &reference, *pointer, *iterator;
  typedef __remove_cv(__T) value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  static constexpr size_t extent = __N;
  __ROOFLINT_CONSTEXPR span() noexcept : __data(nullptr), __size(0) {}
  __ROOFLINT_CONSTEXPR span(__T *__p, size_t __n) : __data(__p), __size(__n) {}
  __ROOFLINT_CONSTEXPR span(__T *__p, __T *__q) : __data(__p), __size(__q - __p) {}
  template <size_t __M> __ROOFLINT_CONSTEXPR span(__T (&__a)[__M]) noexcept : __data(__a), __size(__M) {}
  template <class __C, class = decltype(static_cast<__T *>(declval<__C &>().data()))>
  __ROOFLINT_CONSTEXPR span(__C &&__c) : __data(__c.data()), __size(__c.size()) {}
  __ROOFLINT_CONSTEXPR __T &operator[](size_t __i) const { return __data[__i]; }
  __ROOFLINT_CONSTEXPR __T &front() const { return __data[0]; }
  __ROOFLINT_CONSTEXPR __T &back() const { return __data[__size - 1]; }
  __ROOFLINT_CONSTEXPR __T *data() const noexcept { return __data; }
  __ROOFLINT_CONSTEXPR __T *begin() const noexcept { return __data; }
  __ROOFLINT_CONSTEXPR __T *end() const noexcept { return __data + __size; }
  __ROOFLINT_CONSTEXPR size_t size() const noexcept { return __size; }
  __ROOFLINT_CONSTEXPR size_t size_bytes() const noexcept { return __size * sizeof(__T); }
  __ROOFLINT_CONSTEXPR bool empty() const noexcept { return __size == 0; }
  __ROOFLINT_CONSTEXPR span<__T> first(size_t __n) const { return {__data, __n}; }
  __ROOFLINT_CONSTEXPR span<__T> last(size_t __n) const { return {__data + (__size - __n), __n}; }
  __ROOFLINT_CONSTEXPR span<__T> subspan(size_t __i, size_t __n = dynamic_extent) const {
    return {__data + __i, __n == dynamic_extent ? __size - __i : __n};
  }
};
#if __ROOFLINT_CPP17
template <class __T, size_t __N> span(__T (&)[__N]) -> span<__T, __N>;
template <class __T> span(__T *, size_t) -> span<__T>;
template <class __C> span(__C &&) -> span<remove_reference_t<decltype(*declval<__C &>().data())>>;
#endif
}
//@ mdspan
#include <array>
namespace std {
#if __ROOFLINT_CPP17
template <class __I, size_t... __E> class extents {
  size_t __n[sizeof...(__E) ? sizeof...(__E) : 1] = {__E...};

public:
  typedef __I index_type;
  constexpr extents() = default;
  template <class... __X> constexpr explicit extents(__X...);
  static constexpr size_t rank() { return sizeof...(__E); }
  constexpr __I extent(size_t __r) const { return __n[__r]; }
};
template <class __I, size_t __R> struct __rooflint_dextents;
template <class __I> struct __rooflint_dextents<__I, 1> { typedef extents<__I, size_t(-1)> type; };
template <class __I> struct __rooflint_dextents<__I, 2> { typedef extents<__I, size_t(-1), size_t(-1)> type; };
template <class __I> struct __rooflint_dextents<__I, 3> { typedef extents<__I, size_t(-1), size_t(-1), size_t(-1)> type; };
template <class __I, size_t __R> using dextents = typename __rooflint_dextents<__I, __R>::type;
struct layout_right {};
struct layout_left {};
struct layout_stride {};
template <class __T, class __E, class __L = layout_right> class mdspan {
  __T *__data;
  __E __extents;

public:
  typedef __T element_type;
  constexpr mdspan();
  template <class... __X> constexpr mdspan(__T *, __X...);
  constexpr size_t extent(size_t __r) const { return __extents.extent(__r); }
  constexpr __T *data_handle() const { return __data; }
  constexpr __T &operator()(size_t __i) const { return __data[__i]; }
  constexpr __T &operator()(size_t __i, size_t __j) const { return __data[__i * __extents.extent(1) + __j]; }
  constexpr __T &operator()(size_t __i, size_t __j, size_t __k) const {
    return __data[(__i * __extents.extent(1) + __j) * __extents.extent(2) + __k];
  }
#if __cplusplus >= 202101L
  constexpr __T &operator[](size_t __i) const { return __data[__i]; }
  constexpr __T &operator[](size_t __i, size_t __j) const { return __data[__i * __extents.extent(1) + __j]; }
  constexpr __T &operator[](size_t __i, size_t __j, size_t __k) const {
    return __data[(__i * __extents.extent(1) + __j) * __extents.extent(2) + __k];
  }
#endif
};
template <class __T, class... __X> mdspan(__T *, __X...) -> mdspan<__T, dextents<size_t, sizeof...(__X)>>;
#endif
}
//@ bitset
#include <string>
namespace std {
template <size_t __N> class bitset {
  unsigned long __w[__N / 64 + 1];

public:
  struct reference { operator bool() const; reference &operator=(bool); void flip(); };
  constexpr bitset() noexcept : __w() {}
  constexpr bitset(unsigned long long) noexcept : __w() {}
  explicit bitset(const string &);
  bool operator[](size_t) const;
  reference operator[](size_t);
  bool test(size_t) const;
  bitset &set();
  bitset &set(size_t, bool = true);
  bitset &reset();
  bitset &reset(size_t);
  bitset &flip();
  bool any() const;
  bool all() const;
  bool none() const;
  size_t count() const;
  constexpr size_t size() const { return __N; }
  unsigned long to_ulong() const;
  string to_string() const;
  bitset &operator&=(const bitset &);
  bitset &operator|=(const bitset &);
  bitset operator~() const;
};
}
