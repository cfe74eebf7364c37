import type { publicSandbox as english } from "../en/public-sandbox.ts";
import type { Translation } from "../translation.ts";

export const publicSandbox: Translation<typeof english> = {
  banner:
    "Este es su propio entorno de pruebas privado. Las personas y el dinero son inventados, y todo se borra después de 24 horas. Por favor, no ingrese datos reales.",
  full: {
    title: "Todos los entornos de pruebas están ocupados",
    text: "Inténtelo más tarde, o ejecute Gangway en su propia computadora. Basta un solo comando.",
  },
  busy: {
    title: "Un momento, por favor",
    text: "Muchas personas están abriendo un entorno de pruebas en este momento. Inténtelo de nuevo en un minuto.",
  },
  too_many_of_address: {
    title: "Demasiados entornos de pruebas desde su red",
    text: "Inténtelo de nuevo en una hora, o ejecute Gangway en su propia computadora. Basta un solo comando.",
  },
  too_fast: {
    title: "Eso fue demasiado rápido",
    text: "Espere diez segundos y vuelva a cargar la página.",
  },
  used_up: {
    title: "Su entorno de pruebas llegó a su límite",
    text: "Se borró con todo su contenido. Vaya a la página de inicio para obtener uno nuevo.",
  },
  over: {
    title: "Este entorno de pruebas ya no existe",
    text: "Cada entorno de pruebas se borra después de 24 horas. Vaya a la página de inicio para obtener uno nuevo.",
  },
  no_browser: {
    title: "El entorno de pruebas público de Gangway",
    text: "Abra esta página en un navegador web para obtener su propio entorno de pruebas.",
  },
  left_out: {
    title: "Esta parte no es pública",
    text: "El entorno de pruebas público no tiene consola, API ni referencia. Ejecute Gangway en su propia computadora para usarlas. Basta un solo comando.",
  },
  broken: {
    title: "Algo salió mal de nuestro lado",
    text: "Inténtelo de nuevo en un momento.",
  },
  home: "Ir a la página de inicio",
};
