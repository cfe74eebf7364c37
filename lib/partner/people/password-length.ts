// NIST SP 800-63B asks for at least 8 with a second factor and warns of rules about kinds of characters. argon2 reads any
// length; the maximum only keeps a form from being a load.

/** The fewest characters of a password. */
export const passwordCharactersMin = 12;
/** The most characters of a password. */
export const passwordCharactersMax = 200;
