import type { person as english } from "../en/person.ts";
import type { Translation } from "../translation.ts";

export const person: Translation<typeof english> = {
  firstName: "Nombre",
  lastName: "Apellido",
  email: "Correo electrónico",
  phone: "Teléfono celular",
  password: "Contraseña",
  problems: {
    long: "{what} puede tener como máximo {max} caracteres.",
    characters: "{what} contiene un carácter que no podemos usar. Escríbalo de nuevo.",
    yourFirstName: "Su nombre",
    yourLastName: "Su apellido",
    yourEmail: "Su correo electrónico",
    yourPassword: "Su contraseña",
    noFirstName: "Ingrese su nombre.",
    noLastName: "Ingrese su apellido.",
    noEmail: "Ingrese su correo electrónico.",
    email: "Ingrese su correo electrónico completo, como nombre@ejemplo.com.",
    noPassword: "Ingrese su contraseña.",
    choosePassword: "Elija una contraseña de al menos {min} caracteres.",
    noPhone: "Ingrese su número de celular.",
    phoneLetters: "Ingrese su número de celular solo con dígitos, como (415) 555-0123.",
    phoneAreaCode: "Revise el código de área de su celular. En EE. UU. ninguno empieza con 0 ni con 1.",
    phoneAbroad: "Ingrese un número de celular de EE. UU. Solo podemos enviar mensajes a números de EE. UU.",
    phoneNoAreaCode: "Ingrese su número de celular con el código de área, como (415) 555-0123.",
    phone: "Ingrese los diez dígitos de su número de celular, como (415) 555-0123.",
  },
};
