/** Light, dark, or as the system has it. */

import { keep, kept } from './storage';

export type Choice = 'system' | 'light' | 'dark';
const dark = matchMedia('(prefers-color-scheme: dark)');

class Theme {
  choice = $state<Choice>((kept('theme') as Choice | undefined) ?? 'system');

  constructor() {
    dark.addEventListener('change', () => this.apply());
  }

  set(choice: Choice): void {
    this.choice = choice;
    keep('theme', choice);
    this.apply();
  }

  private apply(): void {
    const isDark = this.choice === 'dark' || (this.choice === 'system' && dark.matches);
    document.documentElement.dataset['theme'] = isDark ? 'sayso-dark' : 'sayso-light';
  }
}

export const theme = new Theme();
