// What to tell people when preparing a checkout fails.
export const notWritable = (root) =>
  `the packages are not installed and ${root} cannot be written to. Run ./atoll once as its owner, or copy it to a folder of your own.`

const causes = [
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ECONNRESET|ERR_SOCKET_TIMEOUT)\b/,
    noNetwork,
  ],
  [/\b(EROFS|EACCES|EPERM)\b/, (root) => notWritable(root)],
  [/\bENOSPC\b/, () => 'the disk is full: Atoll needs about 600 MB for its packages. Free some space and try again.'],
  [
    /\b(E401|E403|ENEEDAUTH)\b/,
    () => "the npm registry refused access: check `npm config get registry` and npm's credentials.",
  ],
  [
    /\bEINTEGRITY\b/,
    () => 'a package does not match its checksum in package-lock.json: run `npm cache clean --force` and try again.',
  ],
]

function noNetwork() {
  return 'the npm registry cannot be reached. Check the network (and `npm config get registry`, `npm config get proxy`) and try again.'
}

/** One line for what npm said, or its own words when they are not known here. */
export function adviceFor(output, root) {
  for (const [pattern, advice] of causes) if (pattern.test(output)) return advice(root)
  const words = output
    .split('\n')
    .filter((line) => /^npm (error|ERR!)/.test(line) && !/complete log|^npm (error|ERR!)\s*$/.test(line))
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, ''))
  return `npm could not install the packages: ${words.slice(0, 6).join(' · ') || output.trim().slice(-500) || 'it gave no reason'}`
}
