/** What the partner app calls itself: on its pages, in their titles, and in its texts and emails. */
export const brandName = "Harbor";
