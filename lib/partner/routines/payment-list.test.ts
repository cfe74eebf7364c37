import { describe, expect, test } from "vitest";
import { batchForm } from "./batch-fields.ts";
import { listPaymentsMax, readPaymentList, writePaymentList } from "./payment-list.ts";

const sellers = [
  { id: "1", email: "marta@example.com" },
  { id: "2", email: "ana@example.com" },
];
const lamps = { sellerUserId: "1", amountCents: 125_000, name: "Lamps" };
const chairs = { sellerUserId: "2", amountCents: 950, name: "Chairs" };

test.each([
  ["commas and quotes", 'email,amount,for\nmarta@example.com,"$1,250.00",Lamps\nana@example.com,9.5,Chairs\n'],
  ["other columns in another order", "For,x,Amount,Email\nLamps,,1250,Marta@Example.com\nChairs,,9.50,ana@example.com"],
  [
    "cells of a spreadsheet",
    "email\tamount\tfor\r\nmarta@example.com\t1,250.00\tLamps\r\nana@example.com\t9.50\tChairs",
  ],
  [
    "semicolons and a byte order mark",
    "\uFEFFemail;amount;for\nmarta@example.com;1250;Lamps\nana@example.com;9.50;Chairs",
  ],
])("reads %s", (_what, text) => {
  expect(readPaymentList(text, sellers)).toEqual({
    kind: "ok",
    payments: [
      { line: 2, ...lamps },
      { line: 3, ...chairs },
    ],
  });
});

test.each([
  "email,amount,for\nmarta@example.com,5.00,123",
  "email,amount,for\nmarta@example.com,5,1234",
  "email\tamount\tfor\nmarta@example.com\t5\t123",
])("reads a number as what a payment is for: %j", (text) => {
  expect(readPaymentList(text, sellers)).toMatchObject({ kind: "ok", payments: [{ amountCents: 500 }] });
});

test("reads a quotation mark in a cell of a spreadsheet", () => {
  const text = 'email\tamount\tfor\nmarta@example.com\t1250\t12" vinyl\nana@example.com\t9.50\tChairs';
  expect(readPaymentList(text, sellers)).toMatchObject({
    kind: "ok",
    payments: [{ ...lamps, name: '12" vinyl' }, chairs],
  });
});

test("ignores empty cells after the last column", () => {
  const text = "email,amount,for\nmarta@example.com,1250,Lamps,,\nana@example.com,9.50,Chairs, \n";
  expect(readPaymentList(text, sellers)).toMatchObject({ kind: "ok", payments: [lamps, chairs] });
});

test("counts empty lines, and the lines of a quoted cell", () => {
  const text = 'email,amount,for\n\n,,\nmarta@example.com,1250,Lamps\n"ana\n2",9.50,Chairs\n';
  expect(readPaymentList(text, sellers)).toEqual({
    kind: "problem",
    problems: ["Line 6: No seller with the email address ana\n2 can be paid yet."],
    more: 0,
  });
});

describe("names each line that can't be paid", () => {
  test.each([
    ["unknown@example.com,5,Lamps", "Line 2: No seller with the email address unknown@example.com can be paid yet."],
    [",5,Lamps", "Line 2: Enter the seller's email address."],
    ["marta@example.com,0,Lamps", "Line 2: Enter an amount greater than zero."],
    ["marta@example.com,five,Lamps", "Line 2: Enter an amount in dollars and cents, like 120.50."],
    ["marta@example.com,5,", "Line 2: Say what this payment is for."],
    ["marta@example.com,5", "Line 2: Say what this payment is for."],
    ["marta@example.com,1,250.00,Lamps", "Line 2: This line has more cells than the first line."],
    ["marta@example.com,1,250.00", 'Line 2: Is the amount 1,250.00? Then put it in quotation marks, "1,250.00".'],
    ["marta@example.com,$1,250", "If it's $1, write $1.00."],
    ["marta@example.com,5,Lamps, chairs", "Line 2: This line has more cells than the first line."],
    ['marta@example.com,5,"Lamps', "Line 2: A quotation mark here is out of place, or never closed."],
    ["marta@example.com,5,Caf\uFFFD", "Line 2: This has a character that we can't read."],
  ])("%s", (line, problem) => {
    const read = readPaymentList(`email,amount,for\n${line}`, sellers);
    expect(read).toMatchObject({ kind: "problem", problems: [expect.stringContaining(problem)] });
  });

  test("an amount with a comma, which would shift the cells of a list with more columns", () => {
    const read = readPaymentList("email,amount,for,notes\nmarta@example.com,1,250.00,Lamps", sellers);
    expect(read).toMatchObject({ kind: "problem", problems: [expect.stringContaining("Is the amount 1,250.00?")] });
  });

  test.each(["USD 1,250.00", "US$1,250.00", "$ 1,250.00", "1,250.00 USD", "$1,250 dollars"])(
    "an amount with a comma and a currency: %s",
    (amount) => {
      const read = readPaymentList(`email,amount,for,notes\nmarta@example.com,${amount},Lamps`, sellers);
      expect(read).toMatchObject({ kind: "problem", problems: [expect.stringContaining(`Is the amount ${amount}?`)] });
    },
  );

  test("both lines of two equal payments are named, because the second could be a resend", () => {
    const line = "marta@example.com,5,Lamps";
    expect(readPaymentList(`email,amount,for\n${line}\n${line}`, sellers)).toMatchObject({
      problems: ["Line 3: This repeats line 2. To pay both, use different words for what they're for."],
    });
  });

  test("names at most twenty, and how many more there are", () => {
    const text = `email,amount,for\n${"x,5,Lamps\n".repeat(25)}`;
    expect(readPaymentList(text, sellers)).toMatchObject({ problems: { length: 20 }, more: 5 });
  });
});

test.each([
  ["nothing", " \n", "Paste a list, or choose a file."],
  ["no header", "marta@example.com,5,Lamps", "Line 1: Start the list with the columns email, amount, for."],
  [
    "UTF-16",
    Buffer.from("\uFEFFemail\tamount\tfor\nmarta@example.com\t5\tLamps", "utf16le").toString(),
    "Line 1: This has a character that we can't read. Save the file as “CSV UTF-8”, or paste the list.",
  ],
  ["only a header", "email,amount,for", "Line 1: Add a line for each payment below this."],
  [
    "too many",
    `email,amount,for\n${"marta@example.com,5,Lamps\n".repeat(listPaymentsMax + 1)}`,
    "A list can have at most 500 payments, and this one has 501.",
  ],
])("refuses %s", (_what, text, problem) => {
  expect(readPaymentList(text, sellers)).toMatchObject({ kind: "problem", problems: [problem] });
});

test("writes a list that reads the same", () => {
  const [first, second] = [lamps, { ...chairs, name: 'Chairs, "old"' }];
  const text = writePaymentList([
    { email: "marta@example.com", ...first },
    { email: "ana@example.com", ...second },
  ]);
  expect(readPaymentList(text, sellers)).toMatchObject({ kind: "ok", payments: [first, second] });
});

test.each([
  ["plain letters", "a".repeat(50_000), true],
  ["accents", "\u00e9".repeat(32_000), false],
  ["emoji", "\u{1f6cb}".repeat(16_000), false],
  ["line ends, which a form sends as two bytes", "\n".repeat(32_000), false],
])("a list of %s fits a request's body, or is refused as too long", (_what, list, fits) => {
  const sent = { batch_id: crypto.randomUUID(), source_id: "account", list };
  expect(batchForm.safeParse(sent).success).toBe(fits);
});
