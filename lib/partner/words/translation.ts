/** The same keys in another language. */
export type Translation<Of> = { readonly [Key in keyof Of]: Of[Key] extends string ? string : Translation<Of[Key]> };
