import type { places } from './places.ts';

type Names = readonly [string, ...string[]];

function words(text: string): Names {
  return text.split(' ') as unknown as Names;
}

/** Common given and family names of some regions; whoever bears two of them together is meant by nobody. */
export const personNames: Readonly<
  Record<(typeof places)[number]['names'], { readonly first: Names; readonly last: Names }>
> = {
  english: {
    first: words(
      'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard Susan Joseph Jessica Thomas Sarah Charles Karen Daniel Nancy Matthew Lisa Anthony Emily Mark Olivia Andrew Grace Joshua Hannah Kevin Chloe Brian Zoe George Amelia Edward Lucy Henry Alice Samuel Ruby',
    ),
    last: words(
      'Smith Johnson Williams Brown Jones Davis Miller Wilson Anderson Taylor Thomas Moore Jackson Martin Thompson White Harris Clark Lewis Robinson Walker Hall Allen Young King Wright Scott Green Baker Adams Nelson Carter Mitchell Roberts Turner Phillips Campbell Parker Evans Edwards Collins Stewart Morris Murphy Cook Rogers Bailey Cooper Reed Ward Brooks Gray Hughes Price Foster Powell Long Ross',
    ),
  },
  german: {
    first: words(
      'Lukas Anna Leon Marie Finn Sophie Jonas Lena Felix Laura Maximilian Julia Paul Katharina Tobias Johanna Stefan Claudia Andreas Sabine Markus Petra Christian Nicole Daan Sanne Pieter Femke Jeroen Anouk',
    ),
    last: words(
      'Mueller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf Neumann Schwarz Zimmermann Braun Krueger Hartmann Lange Werner Krause Vogel Jansen Visser Bakker Mulder Keller Huber Gruber Frei Brunner',
    ),
  },
  romance: {
    first: words(
      'Camille Louis Chloe Hugo Manon Lucas Ines Gabriel Lea Jules Sofia Matteo Giulia Alessandro Martina Lorenzo Chiara Carlos Lucia Javier Carmen Miguel Elena Pablo Beatriz Rafael Mariana Thiago Larissa Diego Valentina Joao Catarina Andre Isabel',
    ),
    last: words(
      'Bernard Dubois Durand Moreau Laurent Simon Michel Lefebvre Garcia Rodriguez Fernandez Lopez Martinez Sanchez Perez Gomez Ruiz Rossi Russo Ferrari Bianchi Romano Colombo Ricci Marino Silva Santos Oliveira Souza Pereira Costa Almeida Ferreira Ribeiro Carvalho Torres Vargas Castro',
    ),
  },
  nordic: {
    first: words(
      'Erik Astrid Lars Ingrid Magnus Freja Nils Sigrid Oskar Linnea Anders Maja Henrik Elsa Mikkel Ida Jonas Emma Mikko Aino Ville Helmi Sven Karin',
    ),
    last: words(
      'Andersson Johansson Karlsson Nilsson Eriksson Larsson Hansen Johansen Olsen Larsen Jensen Nielsen Pedersen Christensen Korhonen Virtanen Nieminen Berg Lund Dahl Holm Lindberg Nygaard',
    ),
  },
  slavic: {
    first: words(
      'Jakub Zuzanna Antoni Julia Piotr Maria Tomasz Agnieszka Marek Katarzyna Jan Tereza Petr Lucie Ondrej Eva Andriy Olena Dmytro Iryna Pavel Hana',
    ),
    last: words(
      'Nowak Kowalski Wisniewski Wojcik Kowalczyk Kaminski Lewandowski Zielinski Novak Svoboda Dvorak Cerny Prochazka Kucera Shevchenko Kovalenko Bondarenko Tkachenko Melnyk Horak Mazur',
    ),
  },
  south_asian: {
    first: words(
      'Aarav Priya Vivaan Ananya Arjun Diya Rohan Isha Karthik Meera Rahul Kavya Sanjay Neha Vikram Pooja Aditya Sneha Imran Fatima Suresh Lakshmi Nikhil Divya',
    ),
    last: words(
      'Sharma Patel Singh Kumar Gupta Reddy Nair Iyer Mehta Shah Joshi Rao Das Banerjee Chatterjee Khan Malhotra Kapoor Desai Pillai Menon Bhat Verma Agarwal',
    ),
  },
  east_asian: {
    first: words(
      'Wei Li Jing Haruto Yui Sota Hina Ren Sakura Minjun Seoyeon Jiho Hana Kai Mei Jun Yuki Daiki Aoi Hyun Jiwoo Xin Ling Hao',
    ),
    last: words(
      'Chen Wang Zhang Liu Yang Lin Tan Lim Wong Lee Kim Park Choi Jung Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Ng',
    ),
  },
  arabic: {
    first: words(
      'Omar Layla Ahmed Mariam Youssef Nour Khalid Salma Hassan Amina Tariq Rania Karim Yasmin Sami Huda Faisal Dina',
    ),
    last: words(
      'Haddad Mansour Nasser Saleh Farouk Khalil Hamdan Aziz Rahman Najjar Qasim Sabbagh Fahmy Zaki Shaheen Darwish Barakat',
    ),
  },
};
