/**
 * The condition that a client in `oauth_clients c` was made by a program and is used by nobody: nobody has granted it
 * anything, or is asked to. What programs make goes after a while, or makes room for others.
 */
export const isUnused = (origin: "registered" | "document"): string => `c.origin = '${origin}'
  and not exists (select from oauth_grants g where g.client_id = c.id)
  and not exists (select from oauth_authorisations a where a.client_id = c.id)`
