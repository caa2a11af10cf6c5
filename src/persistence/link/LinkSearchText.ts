import { searchForm } from "../../domain/text/SearchText.ts"

/** What a search for links looks into: its title, its description and its address, a line each. */
export const searchTextOf = (
  url: string,
  { description, title }: { readonly title: string; readonly description: string }
): string => [title, description, url].map(searchForm).join("\n")
