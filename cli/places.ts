// Where things are in the checkout.
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')
export const requirementsFolder = join(root, 'requirements')
export const reportFile = join(root, 'reports', 'junit.xml')
export const benchFolder = join(root, 'bench')
