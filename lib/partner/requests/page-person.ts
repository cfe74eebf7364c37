/** The header by which a page says whose it is, by their id: another person may have signed in since, in another tab. */
export const pagePersonHeader = "page-person";
