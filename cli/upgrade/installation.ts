import { isCheckout, root } from '../places.ts'

interface Installation {
  how: string
  where: string
  /** What brings a newer version, once there is one. */
  newer: string
}

/** Where the Debian package has it. */
const debianRoot = '/usr/lib/atoll'
/** Where the Dockerfile has it. */
const imageRoot = '/atoll'
const debian = process.arch === 'x64' ? 'amd64' : process.arch

/** How this Atoll came to this machine. */
export function installation(): Installation {
  const of = (how: string, newer: string): Installation => ({ how, where: root, newer })
  if (root === imageRoot) return of('an image', 'start a container of the newer image on the same volume')
  if (isCheckout()) return of('a checkout', 'git pull, then ./atoll up')
  if (root === debianRoot) return of('the Debian package', `apt install ./atoll_VERSION_${debian}.deb`)
  return of('installed by npm', 'npm install -g ./atoll-VERSION.tgz')
}
