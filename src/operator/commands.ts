/** The commands of `forum`, each loaded when it is asked for: most need little of the service, which takes seconds. */

const commands = {
  doctor: async () => (await import("./doctor/doctor.ts")).doctor,
  "create-admin": async () => (await import("./accounts.ts")).createAdmin,
  "reset-password": async () => (await import("./accounts.ts")).resetPassword,
  suspend: async () => (await import("./accounts.ts")).suspend,
  reinstate: async () => (await import("./accounts.ts")).reinstate,
  migrate: async () => (await import("./migrate.ts")).migrate,
  backup: async () => (await import("./backup/backupCommand.ts")).backup,
  restore: async () => (await import("./backup/restore.ts")).restore,
  export: async () => (await import("./exchange/export.ts")).exportCommand,
  import: async () => (await import("./import/import.ts")).importCommand,
  convert: async () => (await import("./convert/convert.ts")).convertCommand,
  erased: async () => (await import("./erased/erased.ts")).erased,
  "retry-parked": async () => (await import("./retryParked.ts")).retryParked,
  oauth: async () => (await import("./oauth.ts")).oauth,
  demo: async () => (await import("./demo/demo.ts")).demo
}

/** The commands that are among the words of a line; all of them, if none is. */
export const commandsIn = (words: ReadonlyArray<string>) => {
  const all = Object.entries(commands)
  const named = all.filter(([name]) => words.includes(name))
  return Promise.all((named.length === 0 ? all : named).map(([, load]) => load()))
}
