/**
 * Classes that turn each row of a table of payments into lines on a phone: amount and status, then what it was for and when,
 * then whom it was paid to. The whole row opens the payment. The second column has room for an exact time, so that nothing
 * moves when scripts replace that by a relative one.
 */
export const paymentLines = {
  body: "@max-lg:gap-0",
  row: "relative @max-lg:grid @max-lg:grid-cols-[minmax(0,1fr)_minmax(9rem,auto)] @max-lg:items-baseline @max-lg:gap-x-3 @max-lg:gap-y-1 @max-lg:rounded-none @max-lg:border-0 @max-lg:border-t @max-lg:bg-transparent @max-lg:px-0 @max-lg:py-3",
  amount: "@max-lg:col-start-1 @max-lg:row-start-1 @max-lg:font-semibold",
  status: "@max-lg:col-start-2 @max-lg:row-start-1 @max-lg:justify-end",
  what: "@max-lg:col-start-1 @max-lg:row-start-2 @max-lg:text-sm",
  who: "@max-lg:col-span-2 @max-lg:row-start-3 @max-lg:text-sm @max-lg:text-ink-soft",
  when: "@max-lg:col-start-2 @max-lg:row-start-2 @max-lg:justify-end @max-lg:text-sm @max-lg:text-ink-soft",
};
