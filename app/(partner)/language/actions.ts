"use server";

import { anyVisitor, partnerAction } from "#lib/partner/requests/partner-action.ts";
import { languageFields, submitLanguage } from "#lib/partner/words/change-language.ts";

export const changeLanguage = partnerAction(anyVisitor, languageFields, submitLanguage);
