/** The languages of pages. */
import { preferredOf } from "../../bytes/Accept.ts"
import { english, type Texts } from "./English.ts"
import { englishScopes, type ScopeTexts } from "./EnglishScopes.ts"
import { german } from "./German.ts"
import { germanScopes } from "./GermanScopes.ts"

export const languages = ["en", "de"] as const
export type Language = (typeof languages)[number]

/** What pages say in one language. */
export interface Spoken extends Texts {
  readonly language: Language
  /** What programs may do or learn, for each scope. */
  readonly scopes: ScopeTexts
}

const spoken: { readonly [L in Language]: Spoken } = {
  en: { language: "en", scopes: englishScopes, ...english },
  de: { language: "de", scopes: germanScopes, ...german }
}

/** What pages say to who prefers these languages, by the header `Accept-Language`: English unless they prefer another one. */
export const textsFor = (acceptLanguage: string | undefined): Spoken =>
  spoken[preferredOf(languages, acceptLanguage)]
