/** What the worker says, in English. It is a file of its own: a worker carries its sentences with it. */

export const notices = {
  trial: { title: 'Notices arrive here', body: 'This is what one looks like.' },
  several: (n: number) => `${n} asks wait for you`,
  asks: (agent: string) => `${agent} asks`,
  anAgent: 'An agent asks',
  openThem: 'Open sayso to see them.',
  openIt: 'Open sayso to see it.',
};
