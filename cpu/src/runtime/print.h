/*
 * `printf` of kernels (CUDA C++ Programming Guide, "Formatted Output"): %[flags][width][.precision][size]type with the flags `# 0 - + space`, the sizes `hh`, `h`,
 * `l`, `ll`, and the types `% c d i o u x X p e E f F g G a A s`. Anything else is copied. Needs text.h.
 *
 * Arguments lie one behind the other, each at a multiple of its size: 4 or 8 bytes of an integer, 8 of a double or an address.
 */

/* The widest field: a wild width does not fill the memory. */
#define PXRW_WIDEST 4096

/* A call that is being printed. */
typedef struct pxrw_printing {
    pxrw_text text;
    uint64_t at; /* the next argument */
    uint32_t taken;
} pxrw_printing;

static inline uint64_t pxrw_argument(pxrw_printing *printing, uint32_t bytes)
{
    unsigned char found[8] = {0};
    printing->at = (printing->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    pxrw_peek(printing->at, found, bytes);
    printing->at += bytes;
    ++printing->taken;
    return pxrw_load64(found);
}

/* A width or precision: digits, or an argument; -1 if there is neither. */
static inline const char *pxrw_number(pxrw_printing *printing, const char *from, int *number, int *is_negative)
{
    int value = *from >= '0' && *from <= '9' ? 0 : -1;
    if (*from == '*') {
        const int32_t given = (int32_t)pxrw_argument(printing, 4);
        const uint32_t size = given < 0 ? 0u - (uint32_t)given : (uint32_t)given;
        *is_negative = given < 0;
        *number = size < PXRW_WIDEST ? (int)size : PXRW_WIDEST;
        return from + 1;
    }
    for (; *from >= '0' && *from <= '9'; ++from)
        value = value < PXRW_WIDEST ? 10 * value + (*from - '0') : value;
    *number = value < PXRW_WIDEST ? value : PXRW_WIDEST;
    return from;
}

/* Appends bytes in a field. */
static inline void pxrw_field(pxrw_text *text, const void *bytes, size_t count, int width, int to_the_left)
{
    static const char blanks[] = "                                ";
    size_t missing = width > 0 && (size_t)width > count ? (size_t)width - count : 0;
    if (to_the_left)
        pxrw_append(text, bytes, count);
    for (; missing != 0;) {
        const size_t part = missing < sizeof blanks - 1 ? missing : sizeof blanks - 1;
        pxrw_append(text, blanks, part);
        missing -= part;
    }
    if (!to_the_left)
        pxrw_append(text, bytes, count);
}

/* The type of the conversion behind a percent sign; NULL if there is none. */
static inline const char *pxrw_kind(const char *from)
{
    from += strspn(from, "-+ #0");
    from = *from == '*' ? from + 1 : from + strspn(from, "0123456789");
    if (*from == '.') {
        ++from;
        from = *from == '*' ? from + 1 : from + strspn(from, "0123456789");
    }
    from += strspn(from, "hl");
    return *from != 0 && strchr("%cdiouxXpeEfFgGaAs", *from) != NULL ? from : NULL;
}

/* Prints the conversion behind a percent sign, and returns what follows it; NULL if there is none. */
static inline const char *pxrw_conversion(pxrw_printing *printing, const char *from)
{
    static const char flags[] = "-+ #0";
    /* The widest field with as many digits behind the point, and the longest double before it. */
    char converted[2 * PXRW_WIDEST + 512];
    char spec[16] = "%";
    size_t length = 1;
    int width = -1, precision = -1, is_negative = 0, size = 0, count = 0;
    const char *const kind = pxrw_kind(from);
    if (kind == NULL)
        return NULL;
    /* Each flag once, whatever the text has. */
    const size_t flagged = strspn(from, flags);
    for (const char *flag = flags; *flag != 0; ++flag)
        if (memchr(from, *flag, flagged) != NULL)
            spec[length++] = *flag;
    from = pxrw_number(printing, from + flagged, &width, &is_negative);
    if (is_negative)
        spec[length++] = '-';
    const int to_the_left = memchr(spec, '-', length) != NULL;
    if (*from == '.') {
        is_negative = 0;
        from = pxrw_number(printing, from + 1, &precision, &is_negative);
        precision = is_negative ? -1 : precision < 0 ? 0 : precision;
    }
    for (; *from == 'h' || *from == 'l'; ++from)
        size = *from == 'l' ? 64 : size == 16 ? 8 : 16;
    width = width < 0 ? 0 : width;
    switch (*kind) {
    case '%':
        pxrw_append(&printing->text, "%", 1);
        return kind + 1;
    case 'c': {
        const unsigned char character = (unsigned char)pxrw_argument(printing, 4);
        pxrw_field(&printing->text, &character, 1, width, to_the_left);
        return kind + 1;
    }
    case 's': {
        const uint64_t address = pxrw_argument(printing, 8);
        const uint32_t most = precision >= 0 ? (uint32_t)precision : PXRW_LONGEST_TEXT;
        pxrw_text string = {NULL, 0, 0};
        if (address == 0)
            pxrw_append(&string, "(null)", most < 6 ? most : 6);
        else
            pxrw_append_from(&string, address, most);
        pxrw_field(&printing->text, string.bytes, string.length, width, to_the_left);
        free(string.bytes);
        return kind + 1;
    }
    case 'p':
        count = snprintf(converted, sizeof converted, "0x%" PRIx64, pxrw_argument(printing, 8));
        pxrw_field(&printing->text, converted, (size_t)count, width, to_the_left);
        return kind + 1;
    case 'd':
    case 'i': {
        const int64_t wide = (int64_t)pxrw_argument(printing, size == 64 ? 8 : 4);
        const int64_t value = size == 64 ? wide : size == 16 ? (int16_t)wide : size == 8 ? (int8_t)wide : (int32_t)wide;
        memcpy(spec + length, "*.*" PRId64, sizeof "*.*" PRId64);
        count = snprintf(converted, sizeof converted, spec, width, precision, value);
        break;
    }
    case 'o':
    case 'u':
    case 'x':
    case 'X': {
        const uint64_t wide = pxrw_argument(printing, size == 64 ? 8 : 4);
        const uint64_t value = size == 64 ? wide : size == 16 ? (uint16_t)wide : size == 8 ? (uint8_t)wide : (uint32_t)wide;
        memcpy(spec + length, "*.*" PRIu64, sizeof "*.*" PRIu64);
        spec[strlen(spec) - 1] = *kind;
        count = snprintf(converted, sizeof converted, spec, width, precision, value);
        break;
    }
    default:
        memcpy(spec + length, "*.*f", sizeof "*.*f");
        spec[strlen(spec) - 1] = *kind;
        count = snprintf(converted, sizeof converted, spec, width, precision, pxrw_f64(pxrw_argument(printing, 8)));
        break;
    }
    if (count > 0)
        pxrw_append(&printing->text, converted, (size_t)count < sizeof converted ? (size_t)count : sizeof converted - 1);
    return kind + 1;
}

/* `vprintf`: returns the number of arguments, -1 without a format. */
static inline uint64_t pxrw_vprintf(const pxrw_cta *cta, uint64_t format, uint64_t arguments)
{
    const pxrw_launch *const launch = cta->launch;
    pxrw_printing printing = {{NULL, 0, 0}, arguments, 0};
    pxrw_text spec = {NULL, 0, 0};
    if (format == 0)
        return ~UINT64_C(0);
    pthread_mutex_lock(&pxrw_text_lock);
    pxrw_append_from(&spec, format, PXRW_LONGEST_TEXT);
    pxrw_append(&spec, "", 1);
    for (const char *from = (const char *)spec.bytes; from != NULL && *from != 0;) {
        const size_t plain = strcspn(from, "%");
        pxrw_append(&printing.text, from, plain);
        from += plain;
        if (*from == '%') {
            const char *const behind = pxrw_conversion(&printing, from + 1);
            if (behind == NULL)
                pxrw_append(&printing.text, "%", 1);
            from = behind != NULL ? behind : from + 1;
        }
    }
    if (launch->print != NULL) {
        launch->print(launch->print_context, (const char *)printing.text.bytes, printing.text.length, printing.taken);
    } else if (printing.text.length != 0) {
        fwrite(printing.text.bytes, 1, printing.text.length, stdout);
    }
    pthread_mutex_unlock(&pxrw_text_lock);
    free(spec.bytes);
    free(printing.text.bytes);
    return printing.taken;
}
