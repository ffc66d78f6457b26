// Secrets of the swarm that a plugin is given with what it is asked about a volume.
import { invalidParameter } from '../../errors.ts'
import { type Membership, places } from '../membership.ts'
import type { KeptVolume } from '../store/objects.ts'

/** Throws where one of them is gone. */
export const secretsOf =
  (membership: Pick<Membership, 'store' | 'sealing'>) =>
  ({ Spec }: KeptVolume): Record<string, string> =>
    Object.fromEntries(
      (Spec.Secrets ?? []).map(({ Key, Secret }) => {
        const { ID, data } = findSecret(membership, Secret)
        return [Key, membership.sealing.open(data, places.secret(ID)).toString('utf8')]
      }),
    )

/** By its id or its name; throws where there is none. */
export function findSecret({ store }: Pick<Membership, 'store'>, asked: string) {
  const found = store.get('secret', asked) ?? store.all('secret').find(({ Spec }) => Spec.Name === asked)
  if (found === undefined) throw invalidParameter(`secret not found: ${asked}`)
  return found
}
