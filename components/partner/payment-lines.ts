/**
 * Classes that turn each row of a payment table into lines on a phone: amount and status, then purpose and time, then
 * payee. The whole row opens the payment. The second column fits an exact time, so that nothing moves when scripts
 * replace it with a relative one.
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
