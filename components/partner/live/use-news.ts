"use client";

import { useState } from "react";

/**
 * What a live region is to say: what is new in `data`, said once and never for what the page began with. It stays until
 * there is other news, and `tellNews` answers with an empty text when there is none.
 */
export function useNews<Data>(data: Data, tellNews: (before: Data, now: Data) => string): string {
  const [told, setTold] = useState({ data, news: "" });
  if (told.data === data) return told.news;
  const news = tellNews(told.data, data) || told.news;
  setTold({ data, news });
  return news;
}
