/** The partner app's name on its pages, in their titles, and in its texts and emails. */
export const brandName = "Harbor";
