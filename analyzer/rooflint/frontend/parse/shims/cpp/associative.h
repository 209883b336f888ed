/* Node containers and adapters. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ __rooflint_nodes
#include <__rooflint_sequence>
namespace std {
/* An iterator over nodes: where the next element lies is not known before the program runs. */
template <class __T> struct __rooflint_node {
  typedef __remove_cv(__T) value_type;
  typedef __T &reference, *pointer;
  typedef ptrdiff_t difference_type;
  typedef bidirectional_iterator_tag iterator_category;
  __T *__p;
  __rooflint_node();
  __rooflint_node(const __rooflint_node<__remove_cv(__T)> &);
  __T &operator*() const { return *__p; }
  __T *operator->() const { return __p; }
  __rooflint_node &operator++();
  __rooflint_node operator++(int);
  __rooflint_node &operator--();
  __rooflint_node operator--(int);
  friend bool operator==(const __rooflint_node &, const __rooflint_node &) { return false; }
  friend bool operator!=(const __rooflint_node &, const __rooflint_node &) { return true; }
};
#define __ROOFLINT_WALK                                                                            \
  iterator begin();                                                                                \
  const_iterator begin() const;                                                                    \
  const_iterator cbegin() const;                                                                   \
  iterator end();                                                                                  \
  const_iterator end() const;                                                                      \
  const_iterator cend() const;                                                                     \
  reverse_iterator rbegin();                                                                       \
  const_reverse_iterator rbegin() const;                                                           \
  reverse_iterator rend();                                                                         \
  const_reverse_iterator rend() const;                                                             \
  size_t size() const noexcept;                                                                    \
  size_t max_size() const noexcept;                                                                \
  bool empty() const noexcept;                                                                     \
  void clear();
#define __ROOFLINT_SEQUENCE(C, I)                                                                  \
  __ROOFLINT_CONTAINER(__T)                                                                        \
  __ROOFLINT_ITERATORS(I<__T>, I<const __T>)                                                       \
  C();                                                                                             \
  explicit C(size_t);                                                                              \
  C(size_t, const __T &);                                                                          \
  C(initializer_list<__T>);                                                                        \
  template <class __I, class = __rooflint_is_iterator<__I>> C(__I, __I);                           \
  C(const C &);                                                                                    \
  C(C &&);                                                                                         \
  C &operator=(const C &);                                                                         \
  C &operator=(C &&);                                                                              \
  __ROOFLINT_WALK                                                                                  \
  __T &front();                                                                                    \
  const __T &front() const;                                                                        \
  __T &back();                                                                                     \
  const __T &back() const;                                                                         \
  void push_front(const __T &);                                                                    \
  void push_back(const __T &);                                                                     \
  template <class... __X> __T &emplace_front(__X &&...);                                           \
  template <class... __X> __T &emplace_back(__X &&...);                                            \
  void pop_front();                                                                                \
  void pop_back();                                                                                 \
  void resize(size_t);                                                                             \
  void resize(size_t, const __T &);                                                                \
  void assign(size_t, const __T &);                                                                \
  template <class __I, class = __rooflint_is_iterator<__I>> void assign(__I, __I);                 \
  iterator insert(const_iterator, const __T &);                                                    \
  template <class __I, class = __rooflint_is_iterator<__I>> iterator insert(const_iterator, __I, __I); \
  template <class... __X> iterator emplace(const_iterator, __X &&...);                             \
  iterator erase(const_iterator);                                                                  \
  iterator erase(const_iterator, const_iterator);                                                  \
  void swap(C &);
}
//@ list forward_list
#include <__rooflint_nodes>
namespace std {
template <class __T, class __A = allocator<__T>> class list {
public:
  __ROOFLINT_SEQUENCE(list, __rooflint_node)
  void sort();
  template <class __L> void sort(__L);
  void unique();
  void reverse();
  void remove(const __T &);
  template <class __P> void remove_if(__P);
  void merge(list &);
  void splice(const_iterator, list &);
  void splice(const_iterator, list &, const_iterator);
  void splice(const_iterator, list &, const_iterator, const_iterator);
};
template <class __T, class __A = allocator<__T>> class forward_list : public list<__T, __A> {
public:
  using list<__T, __A>::list;
};
__ROOFLINT_COMPARED(list)
}
//@ deque
#include <__rooflint_nodes>
namespace std {
template <class __T> struct __rooflint_block : __rooflint_node<__T> {
  typedef random_access_iterator_tag iterator_category;
  __rooflint_block();
  __rooflint_block(const __rooflint_block<__remove_cv(__T)> &);
  __rooflint_block &operator++();
  __rooflint_block operator++(int);
  __rooflint_block &operator--();
  __rooflint_block operator--(int);
  __rooflint_block &operator+=(ptrdiff_t);
  __rooflint_block operator+(ptrdiff_t) const;
  __rooflint_block operator-(ptrdiff_t) const;
  ptrdiff_t operator-(const __rooflint_block &) const;
  bool operator<(const __rooflint_block &) const;
  __T &operator[](ptrdiff_t) const;
};
template <class __T, class __A = allocator<__T>> class deque {
public:
  __ROOFLINT_SEQUENCE(deque, __rooflint_block)
  __T &operator[](size_t);
  const __T &operator[](size_t) const;
  __T &at(size_t);
  const __T &at(size_t) const;
  void shrink_to_fit();
};
__ROOFLINT_COMPARED(deque)
}
//@ queue
#include <__rooflint_operations>
#include <deque>
#include <vector>
namespace std {
template <class __T, class __C = deque<__T>> class queue {
public:
  typedef __T value_type;
  queue();
  bool empty() const;
  size_t size() const;
  __T &front();
  __T &back();
  void push(const __T &);
  void push(__T &&);
  template <class... __X> void emplace(__X &&...);
  void pop();
};
template <class __T, class __C = vector<__T>, class __L = less<__T>> class priority_queue {
public:
  typedef __T value_type;
  priority_queue();
  explicit priority_queue(const __L &, const __C & = __C());
  template <class __I> priority_queue(__I, __I);
  bool empty() const;
  size_t size() const;
  const __T &top() const;
  void push(const __T &);
  template <class... __X> void emplace(__X &&...);
  void pop();
};
}
//@ stack
#include <deque>
namespace std {
template <class __T, class __C = deque<__T>> class stack {
public:
  typedef __T value_type;
  stack();
  bool empty() const;
  size_t size() const;
  __T &top();
  const __T &top() const;
  void push(const __T &);
  template <class... __X> void emplace(__X &&...);
  void pop();
};
}
//@ __rooflint_keyed
#include <tuple>
#include <__rooflint_nodes>
#include <__rooflint_operations>
#define __ROOFLINT_KEYED(C)                                                                        \
  typedef __K key_type;                                                                            \
  C();                                                                                             \
  C(initializer_list<value_type>);                                                                 \
  template <class __I> C(__I, __I);                                                                \
  __ROOFLINT_WALK                                                                                  \
  iterator find(const __K &);                                                                      \
  const_iterator find(const __K &) const;                                                          \
  size_t count(const __K &) const;                                                                 \
  bool contains(const __K &) const;                                                                \
  pair<iterator, iterator> equal_range(const __K &);                                               \
  pair<const_iterator, const_iterator> equal_range(const __K &) const;                             \
  size_t erase(const __K &);                                                                       \
  iterator erase(const_iterator);                                                                  \
  iterator erase(const_iterator, const_iterator);                                                  \
  void swap(C &);
#define __ROOFLINT_INSERT(result)                                                                  \
  result insert(const value_type &);                                                               \
  result insert(value_type &&);                                                                    \
  iterator insert(const_iterator, const value_type &);                                             \
  template <class __I> void insert(__I, __I);                                                      \
  void insert(initializer_list<value_type>);                                                       \
  template <class... __X> result emplace(__X &&...);                                               \
  template <class... __X> iterator emplace_hint(const_iterator, __X &&...);
#define __ROOFLINT_SORTED                                                                          \
  iterator lower_bound(const __K &);                                                               \
  const_iterator lower_bound(const __K &) const;                                                   \
  iterator upper_bound(const __K &);                                                               \
  const_iterator upper_bound(const __K &) const;
#define __ROOFLINT_MAPPED                                                                          \
  typedef __V mapped_type;                                                                         \
  __V &operator[](const __K &);                                                                    \
  __V &at(const __K &);                                                                            \
  const __V &at(const __K &) const;                                                                \
  template <class... __X> pair<iterator, bool> try_emplace(const __K &, __X &&...);                \
  template <class __X> pair<iterator, bool> insert_or_assign(const __K &, __X &&);
#define __ROOFLINT_MAP(C, ordering)                                                                \
  template <class __K, class __V, ordering, class __A = allocator<pair<const __K, __V>>> class C { \
  public:                                                                                          \
    typedef pair<const __K, __V> __pair;                                                           \
    __ROOFLINT_CONTAINER(__pair)                                                                   \
    __ROOFLINT_ITERATORS(__rooflint_node<__pair>, __rooflint_node<const __pair>)                   \
    __ROOFLINT_KEYED(C)
#define __ROOFLINT_SET(C, ordering)                                                                \
  template <class __K, ordering, class __A = allocator<__K>> class C {                             \
  public:                                                                                          \
    __ROOFLINT_CONTAINER(__K)                                                                      \
    __ROOFLINT_ITERATORS(__rooflint_node<const __K>, __rooflint_node<const __K>)                   \
    __ROOFLINT_KEYED(C)
#define __ROOFLINT_BY_ORDER class __L = less<__K>
#define __ROOFLINT_BY_HASH class __H = hash<__K>, class __E = equal_to<__K>
#define __ROOFLINT_ONCE pair<iterator, bool>
#define __ROOFLINT_BUCKETS                                                                         \
  void reserve(size_t);                                                                            \
  void rehash(size_t);                                                                             \
  size_t bucket_count() const;                                                                     \
  float load_factor() const;                                                                       \
  void max_load_factor(float);
//@ map
#include <__rooflint_keyed>
namespace std {
__ROOFLINT_MAP(map, __ROOFLINT_BY_ORDER) explicit map(const __L &) __ROOFLINT_OPAQUE __ROOFLINT_INSERT(__ROOFLINT_ONCE) __ROOFLINT_SORTED __ROOFLINT_MAPPED };
__ROOFLINT_MAP(multimap, __ROOFLINT_BY_ORDER) explicit multimap(const __L &); __ROOFLINT_INSERT(iterator) __ROOFLINT_SORTED };
}
//@ set
#include <__rooflint_keyed>
namespace std {
__ROOFLINT_SET(set, __ROOFLINT_BY_ORDER) explicit set(const __L &) __ROOFLINT_OPAQUE __ROOFLINT_INSERT(__ROOFLINT_ONCE) __ROOFLINT_SORTED };
__ROOFLINT_SET(multiset, __ROOFLINT_BY_ORDER) explicit multiset(const __L &); __ROOFLINT_INSERT(iterator) __ROOFLINT_SORTED };
}
//@ unordered_map
#include <__rooflint_keyed>
namespace std {
__ROOFLINT_MAP(unordered_map, __ROOFLINT_BY_HASH) explicit unordered_map(size_t, const __H & = __H(), const __E & = __E()) __ROOFLINT_OPAQUE __ROOFLINT_INSERT(__ROOFLINT_ONCE) __ROOFLINT_MAPPED __ROOFLINT_BUCKETS };
__ROOFLINT_MAP(unordered_multimap, __ROOFLINT_BY_HASH) explicit unordered_multimap(size_t); __ROOFLINT_INSERT(iterator) __ROOFLINT_BUCKETS };
}
//@ unordered_set
#include <__rooflint_keyed>
namespace std {
__ROOFLINT_SET(unordered_set, __ROOFLINT_BY_HASH) explicit unordered_set(size_t, const __H & = __H(), const __E & = __E()) __ROOFLINT_OPAQUE __ROOFLINT_INSERT(__ROOFLINT_ONCE) __ROOFLINT_BUCKETS };
__ROOFLINT_SET(unordered_multiset, __ROOFLINT_BY_HASH) explicit unordered_multiset(size_t); __ROOFLINT_INSERT(iterator) __ROOFLINT_BUCKETS };
}
