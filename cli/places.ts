// Where things are in the checkout, or in an installed package.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
/** A package was made of one, and has neither tests nor benchmarks. */
export const isCheckout = (): boolean => existsSync(join(root, 'package-lock.json'))

export const requirementsFolder = join(root, 'requirements')
export const reportFile = join(root, 'reports', 'junit.xml')
export const benchFolder = join(root, 'bench')
