// Tries credentials at a registry, for clients that keep them.
import { invalidParameter } from '../../errors.ts'
import type { RegistryAuth } from '../../images/image-registry.ts'

/** Of a registry client. */
interface Logins {
  logIn(auth: RegistryAuth, signal: AbortSignal): Promise<{ identityToken: string | undefined }>
}

const addressForm = /^(https?:\/\/)?[A-Za-z0-9.:[\]_-]+(\/[\w./-]*)?$/

export class Auth {
  readonly #logins: Logins

  constructor(logins: Logins) {
    this.#logins = logins
  }

  async check(given: RegistryAuth, signal: AbortSignal): Promise<{ Status: string; IdentityToken: string }> {
    const { serveraddress = '' } = given
    if (serveraddress !== '' && !addressForm.test(serveraddress)) {
      throw invalidParameter(`unable to parse server address: ${serveraddress.slice(0, 200)}`)
    }
    const filled = Object.entries(given).filter(([name, value]) => name !== 'email' && value !== '')
    const { identityToken } = await this.#logins.logIn(Object.fromEntries(filled), signal)
    return { Status: 'Login Succeeded', IdentityToken: identityToken ?? '' } // ENG-717
  }
}
