/** What the partner app calls itself: on its pages, in their titles, and in its texts to phones. */
export const brandName = "Harbor";
