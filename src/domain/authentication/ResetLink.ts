/** The link in a mail that sets a password. Pure. */
import { Result } from "effect"
import { ResetPageForeign, type TokenUrl } from "./ResetToken.ts"

/** The page to which a mail may lead: one on the host of the web address, whatever its port. */
export const decidePage = ({ url }: TokenUrl, web: URL): Result.Result<URL, ResetPageForeign> => {
  const page = new URL(url)
  const isOurs = page.hostname === web.hostname && `${page.username}${page.password}` === ""
  return isOurs
    ? Result.succeed(page)
    : Result.fail(new ResetPageForeign({ metadata: { host: page.hostname, expected: web.hostname } }))
}

/** The address with the token as a query parameter of this name; the rest of its query stays. */
export const linkWith = (page: URL, name: string, token: string): string => {
  const link = new URL(page)
  const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(token)}`
  if (link.searchParams.has(name)) link.searchParams.set(name, token)
  else link.search = link.search === "" ? parameter : `${link.search}&${parameter}`
  return link.href
}
