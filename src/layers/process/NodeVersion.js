/** The oldest Node that runs the service: it has Argon2. Imports nothing, so that older ones can say so. */
const oldest = { major: 24, minor: 7 }

/**
 * Why a version of Node cannot run the service, in one line.
 * @param {string} version
 */
export const nodeRefusal = (version) => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
    ? undefined
    : `The service needs Node ${oldest.major}.${oldest.minor} or newer, and this is ${version}. \`npm start\` takes the one that npm has installed.`
}
