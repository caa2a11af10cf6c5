/** The address of a database that may be on one of several servers, as libpq writes it. */

/** Where one server listens: a name, an IP address or, if it begins with "/", the directory of a Unix socket. */
export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

export interface DatabaseAddress {
  /** The address with the first of the hosts alone, which any client of PostgreSQL understands. */
  readonly url: string
  /** All hosts, in the order of the address. */
  readonly hosts: readonly [DatabaseHost, ...ReadonlyArray<DatabaseHost>]
}

/** What is expected of an address, for a message. */
export const expectedAddress =
  "an address like postgres://user:password@host:5432/database, or with several hosts, like host:5432,other:5432"

const form = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^@/?#]*)([/?].*)?$/s

const hostForm = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/

const defaultPort = 5432

/** The service writes, so that no other kind of server would do. */
const targets = new Set(["read-write", "primary", "any"])

const portOf = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return defaultPort
  const port = /^\d+$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const readHost = (text: string): DatabaseHost | undefined => {
  const [, ip, name = "", port] = hostForm.exec(text) ?? [undefined]
  const host = ip ?? decoded(name)
  const found = portOf(port)
  if (!hostForm.test(text) || host === undefined || found === undefined) return undefined
  return { host: host === "" ? "localhost" : host, port: found }
}

/** The hosts of the parameters `host` and `port`: one port may be that of all. */
const readHostList = (hosts: string, ports: string | null): ReadonlyArray<DatabaseHost | undefined> => {
  const numbers = ports?.split(",") ?? []
  return hosts.split(",").map((host, at) => {
    const port = portOf(numbers.length > 1 ? numbers[at] : numbers[0])
    return port === undefined || host === "" ? undefined : { host, port }
  })
}

const isComplete = (
  hosts: ReadonlyArray<DatabaseHost | undefined>
): hosts is readonly [DatabaseHost, ...ReadonlyArray<DatabaseHost>] =>
  hosts.length > 0 && !hosts.includes(undefined)

const written = ({ host, port }: DatabaseHost) =>
  `${host.includes(":") ? `[${host}]` : encodeURIComponent(host)}:${port}`

/** Reads an address; undefined, if it is none or asks for a server that does not take writes. */
export const readDatabaseAddress = (text: string): DatabaseAddress | undefined => {
  const [, scheme = "", user = "", authority = "", rest = ""] = form.exec(text) ?? []
  if (scheme === "" || /\s/.test(text)) return undefined
  const query = rest.indexOf("?")
  const parameters = new URLSearchParams(query === -1 ? "" : rest.slice(query))
  const target = parameters.get("target_session_attrs")
  if (target !== null && !targets.has(target)) return undefined
  const named = parameters.get("host")
  const hosts =
    named === null ? authority.split(",").map(readHost) : readHostList(named, parameters.get("port"))
  if (!isComplete(hosts)) return undefined
  if (hosts.length === 1) return { url: text, hosts }
  for (const name of ["host", "port", "target_session_attrs"]) parameters.delete(name)
  const path = query === -1 ? rest : rest.slice(0, query)
  const search = parameters.size === 0 ? "" : `?${parameters}`
  return { url: `${scheme}${user}${written(hosts[0])}${path}${search}`, hosts }
}

/** What is expected of the address of a copy, for a message. */
export const expectedReplica =
  "addresses like postgres://user:password@host:5432/database, separated by spaces, with one host each"

/** Reads the address of a copy of a database; undefined, if it is none. */
export const readReplicaAddress = (text: string): DatabaseAddress | undefined => {
  const address = readDatabaseAddress(text)
  return address?.hosts.length === 1 ? address : undefined
}

/** The same address with one host alone. */
export const addressAt = ({ hosts, url }: DatabaseAddress, host: DatabaseHost): string =>
  hosts.length === 1 ? url : url.replace(written(hosts[0]), () => written(host))

/** A host as messages name it. */
export const hostText = ({ host, port }: DatabaseHost): string =>
  host.startsWith("/") ? host : written({ host, port })
