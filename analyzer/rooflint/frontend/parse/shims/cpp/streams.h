/* Streams: declarations only. A line "//@ name [alias ...]" starts the virtual file of that name. */
//@ ios istream ostream streambuf
#include <time.h>
#include <locale>
#include <string>
#include <stdexcept>
namespace std {
class ios_base {
public:
  typedef unsigned fmtflags, openmode, iostate, seekdir;
  typedef runtime_error failure;
  static constexpr fmtflags boolalpha = 1, dec = 2, fixed = 4, hex = 8, internal = 16, left = 32, oct = 64,
                            right = 128, scientific = 256, showbase = 512, showpoint = 1024, showpos = 2048,
                            skipws = 4096, floatfield = 260, adjustfield = 176, basefield = 74;
  static constexpr openmode app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32;
  static constexpr iostate goodbit = 0, badbit = 1, eofbit = 2, failbit = 4;
  static constexpr seekdir beg = 0, cur = 1, end = 2;
  fmtflags flags() const;
  fmtflags flags(fmtflags);
  fmtflags setf(fmtflags);
  fmtflags setf(fmtflags, fmtflags);
  void unsetf(fmtflags);
  streamsize precision() const;
  streamsize precision(streamsize);
  streamsize width() const;
  streamsize width(streamsize);
  locale imbue(const locale &);
  static bool sync_with_stdio(bool = true);
};
template <class __C, class __R = char_traits<__C>> class basic_streambuf {
public:
  virtual ~basic_streambuf();
  basic_streambuf *pubsetbuf(__C *, streamsize);
  int pubsync();
  int sgetc();
  int sbumpc();
  int sputc(__C);
  streamsize sgetn(__C *, streamsize);
  streamsize sputn(const __C *, streamsize);

protected:
  basic_streambuf();
  virtual int overflow(int = -1);
  virtual int underflow();
  virtual int sync();
  virtual streamsize xsputn(const __C *, streamsize);
};
typedef basic_streambuf<char> streambuf;
template <class __C, class __R = char_traits<__C>> class basic_ios : public ios_base {
public:
  virtual ~basic_ios();
  explicit operator bool() const;
  bool operator!() const;
  bool good() const;
  bool bad() const;
  bool fail() const;
  bool eof() const;
  void clear(iostate = goodbit);
  void setstate(iostate);
  iostate rdstate() const;
  void exceptions(iostate);
  __C fill() const;
  __C fill(__C);
  basic_ios &copyfmt(const basic_ios &);
  basic_streambuf<__C, __R> *rdbuf() const;
  basic_streambuf<__C, __R> *rdbuf(basic_streambuf<__C, __R> *);
  void *tie(void *);
  void init(basic_streambuf<__C, __R> *);
};
typedef basic_ios<char> ios;
typedef streamoff streampos;
#define __ROOFLINT_ARITHMETIC(X)                                                                   \
  X(bool) X(short) X(unsigned short) X(int) X(unsigned int) X(long) X(unsigned long) X(long long)  \
  X(unsigned long long) X(float) X(double) X(long double)
template <class __C, class __R> class basic_ostream : virtual public basic_ios<__C, __R> {
public:
  typedef __C char_type;
  explicit basic_ostream(basic_streambuf<__C, __R> *);
#define __ROOFLINT_PUT(...) basic_ostream &operator<<(__VA_ARGS__);
  __ROOFLINT_ARITHMETIC(__ROOFLINT_PUT)
  __ROOFLINT_PUT(const void *)
  __ROOFLINT_PUT(nullptr_t)
  __ROOFLINT_PUT(basic_streambuf<__C, __R> *)
  basic_ostream &operator<<(basic_ostream &(*)(basic_ostream &));
  basic_ostream &operator<<(basic_ios<__C, __R> &(*)(basic_ios<__C, __R> &));
  basic_ostream &operator<<(ios_base &(*)(ios_base &));
  basic_ostream &put(__C);
  basic_ostream &write(const __C *, streamsize);
  basic_ostream &flush();
  streampos tellp();
  basic_ostream &seekp(streamoff);
  basic_ostream &seekp(streamoff, ios_base::seekdir);
};
template <class __C, class __R> class basic_istream : virtual public basic_ios<__C, __R> {
public:
  typedef __C char_type;
  explicit basic_istream(basic_streambuf<__C, __R> *);
#define __ROOFLINT_GET(T) basic_istream &operator>>(T &);
  __ROOFLINT_ARITHMETIC(__ROOFLINT_GET)
  __ROOFLINT_GET(void *)
  basic_istream &operator>>(basic_istream &(*)(basic_istream &));
  basic_istream &operator>>(ios_base &(*)(ios_base &));
  int get();
  int peek();
  basic_istream &get(__C &);
  basic_istream &get(__C *, streamsize);
  basic_istream &getline(__C *, streamsize);
  basic_istream &getline(__C *, streamsize, __C);
  basic_istream &read(__C *, streamsize);
  basic_istream &ignore(streamsize = 1, int = -1);
  basic_istream &putback(__C);
  basic_istream &unget();
  streamsize gcount() const;
  streampos tellg();
  basic_istream &seekg(streamoff);
  basic_istream &seekg(streamoff, ios_base::seekdir);
};
template <class __C, class __R = char_traits<__C>>
class basic_iostream : public basic_istream<__C, __R>, public basic_ostream<__C, __R> {
public:
  explicit basic_iostream(basic_streambuf<__C, __R> *);
};
typedef basic_iostream<char> iostream;
#define __ROOFLINT_CHARS template <class __C, class __R>
__ROOFLINT_CHARS basic_ostream<__C, __R> &operator<<(basic_ostream<__C, __R> &, __C);
__ROOFLINT_CHARS basic_ostream<__C, __R> &operator<<(basic_ostream<__C, __R> &, const __C *);
template <class __R> basic_ostream<char, __R> &operator<<(basic_ostream<char, __R> &, signed char);
template <class __R> basic_ostream<char, __R> &operator<<(basic_ostream<char, __R> &, unsigned char);
template <class __R> basic_ostream<char, __R> &operator<<(basic_ostream<char, __R> &, const unsigned char *);
__ROOFLINT_CHARS basic_istream<__C, __R> &operator>>(basic_istream<__C, __R> &, __C &);
__ROOFLINT_CHARS basic_istream<__C, __R> &operator>>(basic_istream<__C, __R> &, __C *);
template <class __R> basic_istream<char, __R> &operator>>(basic_istream<char, __R> &, unsigned char &);
template <class __S, class __T, class = enable_if_t<__is_base_of(ios_base, __S)>>
auto operator<<(__S &&__s, const __T &__x) -> decltype(__s << __x, static_cast<__S &&>(__s));
template <class __S, class __T, class = enable_if_t<__is_base_of(ios_base, __S)>>
auto operator>>(__S &&__s, __T &&__x) -> decltype(__s >> __x, static_cast<__S &&>(__s));
__ROOFLINT_CHARS basic_ostream<__C, __R> &endl(basic_ostream<__C, __R> &);
__ROOFLINT_CHARS basic_ostream<__C, __R> &ends(basic_ostream<__C, __R> &);
__ROOFLINT_CHARS basic_ostream<__C, __R> &flush(basic_ostream<__C, __R> &);
__ROOFLINT_CHARS basic_istream<__C, __R> &ws(basic_istream<__C, __R> &);
#define __ROOFLINT_MANIPULATOR(name) ios_base &name(ios_base &);
__ROOFLINT_MANIPULATOR(boolalpha) __ROOFLINT_MANIPULATOR(noboolalpha) __ROOFLINT_MANIPULATOR(dec)
__ROOFLINT_MANIPULATOR(hex) __ROOFLINT_MANIPULATOR(oct) __ROOFLINT_MANIPULATOR(fixed)
__ROOFLINT_MANIPULATOR(scientific) __ROOFLINT_MANIPULATOR(defaultfloat) __ROOFLINT_MANIPULATOR(hexfloat)
__ROOFLINT_MANIPULATOR(left) __ROOFLINT_MANIPULATOR(right) __ROOFLINT_MANIPULATOR(internal)
__ROOFLINT_MANIPULATOR(showpoint) __ROOFLINT_MANIPULATOR(noshowpoint) __ROOFLINT_MANIPULATOR(showpos)
__ROOFLINT_MANIPULATOR(noshowpos) __ROOFLINT_MANIPULATOR(showbase) __ROOFLINT_MANIPULATOR(skipws)
__ROOFLINT_MANIPULATOR(noskipws) __ROOFLINT_MANIPULATOR(uppercase) __ROOFLINT_MANIPULATOR(unitbuf)
}
//@ iostream
#include <ios>
namespace std {
extern istream cin;
extern ostream cout, cerr, clog;
extern wostream wcout;
}
//@ iomanip
#include <ios>
#include <ctime>
namespace std {
struct __rooflint_manipulator {};
__rooflint_manipulator setw(int);
__rooflint_manipulator setprecision(int);
__rooflint_manipulator setbase(int);
__rooflint_manipulator setfill(char);
__rooflint_manipulator setiosflags(ios_base::fmtflags);
__rooflint_manipulator resetiosflags(ios_base::fmtflags);
__rooflint_manipulator put_time(const struct tm *, const char *);
__rooflint_manipulator quoted(const string &);
ostream &operator<<(ostream &, __rooflint_manipulator);
istream &operator>>(istream &, __rooflint_manipulator);
}
//@ fstream
#include <ios>
#define __ROOFLINT_FILE(name, base, mode)                                                          \
  template <class __C, class __R = char_traits<__C>> class basic_##name : public base<__C, __R> {  \
  public:                                                                                          \
    basic_##name();                                                                                \
    explicit basic_##name(const char *, ios_base::openmode = mode);                                \
    explicit basic_##name(const string &, ios_base::openmode = mode);                              \
    basic_##name(basic_##name &&);                                                                 \
    basic_##name &operator=(basic_##name &&);                                                      \
    void open(const char *, ios_base::openmode = mode);                                            \
    void open(const string &, ios_base::openmode = mode);                                          \
    bool is_open() const;                                                                          \
    void close();                                                                                  \
  };                                                                                               \
  typedef basic_##name<char> name;
namespace std {
__ROOFLINT_FILE(ifstream, basic_istream, ios_base::in)
__ROOFLINT_FILE(ofstream, basic_ostream, ios_base::out)
__ROOFLINT_FILE(fstream, basic_iostream, ios_base::in | ios_base::out)
}
//@ sstream
#include <ios>
#define __ROOFLINT_STRINGS(name, base)                                                             \
  template <class __C, class __R = char_traits<__C>> class basic_##name : public base<__C, __R> {  \
  public:                                                                                          \
    basic_##name();                                                                                \
    explicit basic_##name(ios_base::openmode);                                                     \
    explicit basic_##name(const basic_string<__C, __R> &, ios_base::openmode = 0);                 \
    basic_##name(basic_##name &&);                                                                 \
    basic_string<__C, __R> str() const;                                                            \
    void str(const basic_string<__C, __R> &);                                                      \
  };                                                                                               \
  typedef basic_##name<char> name;
namespace std {
__ROOFLINT_STRINGS(istringstream, basic_istream)
__ROOFLINT_STRINGS(ostringstream, basic_ostream)
__ROOFLINT_STRINGS(stringstream, basic_iostream)
}
//@ iterator
#include <iosfwd>
#include <__rooflint_basics>
namespace std {
template <class __C> constexpr auto cbegin(const __C &__c) -> decltype(std::begin(__c)) { return std::begin(__c); }
template <class __C> constexpr auto cend(const __C &__c) -> decltype(std::end(__c)) { return std::end(__c); }
template <class __C> auto rbegin(__C &__c) -> decltype(__c.rbegin()) { return __c.rbegin(); }
template <class __C> auto rend(__C &__c) -> decltype(__c.rend()) { return __c.rend(); }
template <class __I> reverse_iterator<__I> make_reverse_iterator(__I);
template <class __T> struct ostream_iterator : __rooflint_output {
  ostream_iterator(ostream &, const char * = nullptr);
  using __rooflint_output::operator=;
};
template <class __T> struct istream_iterator {
  typedef input_iterator_tag iterator_category;
  typedef __T value_type;
  typedef ptrdiff_t difference_type;
  typedef const __T *pointer, &reference;
  istream_iterator();
  istream_iterator(istream &);
  const __T &operator*() const;
  istream_iterator &operator++();
  bool operator==(const istream_iterator &) const;
  bool operator!=(const istream_iterator &) const;
};
template <class __C> using istreambuf_iterator = istream_iterator<__C>;
template <class __I> struct move_iterator : iterator_traits<__I> {
  explicit move_iterator(__I);
  typename iterator_traits<__I>::value_type &&operator*() const;
  move_iterator &operator++();
  bool operator!=(const move_iterator &) const;
};
template <class __I> move_iterator<__I> make_move_iterator(__I);
}
